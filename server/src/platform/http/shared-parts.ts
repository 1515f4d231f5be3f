// pure

/**
 * Moves the repeated parts of an OpenAPI document to its components, and replaces them with references. Routes declare
 * complete schemas, so without this step the document would contain the same errors hundreds of times. `common` are
 * schemas by name that many routes use without a title. `bases` are the names of records whose fields other records
 * repeat.
 */
type Json = null | boolean | number | string | readonly Json[] | Part
type Part = { [name: string]: Json }

const methods = ['get', 'post', 'put', 'patch', 'delete']
/** The keys whose values are data, not schemas. */
const data = new Set(['example', 'examples', 'default', 'enum', 'const'])

export function shareParts(
  document: object,
  common: Readonly<Record<string, object>> = {},
  bases: readonly string[] = [],
): Part {
  const shared: Part = {}
  const names = new Map(Object.entries(common).map(([name, schema]) => [JSON.stringify(schema), name]))
  const whole = partOf(shareSchemas(JSON.parse(JSON.stringify(document)), shared, names))
  const operations = ['paths', 'webhooks'].flatMap((place) =>
    Object.values(partOf(whole[place])).flatMap((item) => methods.map((method) => partOf(partOf(item)[method]))),
  )
  const parameters = shareParameters(operations)
  const responses = shareResponses(operations)
  const components = partOf(whole['components'])
  const all: Part = { ...partOf(components['schemas']), ...shared }
  const schemas = Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, extend(schema, bases, all)]))
  return { ...whole, components: { ...components, schemas, parameters, responses } }
}

/**
 * Replaces the fields that a record shares with a base by a reference to the base. The record must have all fields of
 * the base. A closed record stays as it is: its `additionalProperties` would reject the fields of the base.
 */
function extend(schema: Json, bases: readonly string[], schemas: Part): Json {
  const { type, required, properties, ...rest } = partOf(schema)
  const record = { required: listOf(required), properties: partOf(properties) }
  if ('additionalProperties' in rest) return schema
  const base = bases.find((name) => contains(record, partOf(schemas[name])))
  if (type !== 'object' || base === undefined) return schema
  const isFurther = (name: Json) => !(String(name) in partOf(partOf(schemas[base])['properties']))
  const further = {
    type,
    required: record.required.filter(isFurther),
    properties: Object.fromEntries(Object.entries(record.properties).filter(([name]) => isFurther(name))),
  }
  return { allOf: [{ $ref: `#/components/schemas/${base}` }, further], ...rest }
}

/** Returns whether a record has each field of another, equally required, and further ones. */
function contains(record: { readonly required: readonly Json[]; readonly properties: Part }, base: Part): boolean {
  const fields = Object.entries(partOf(base['properties']))
  const isEqual = ([name, field]: readonly [string, Json]) =>
    JSON.stringify(record.properties[name]) === JSON.stringify(field) &&
    record.required.includes(name) === listOf(base['required']).includes(name)
  return fields.length > 0 && fields.length < Object.keys(record.properties).length && fields.every(isEqual)
}

function partOf(json: Json | undefined): Part {
  return json !== null && typeof json === 'object' && !isList(json) ? json : {}
}

function listOf(json: Json | undefined): readonly Json[] {
  return json !== undefined && isList(json) ? json : []
}

const isList = (json: Json): json is readonly Json[] => Array.isArray(json)

/** Returns an equal schema in fewer characters: one list of types instead of alternatives, for values without parts. */
function shorten(part: Part): Part {
  const [one, other, ...more] = listOf(part['anyOf']).map(partOf)
  const isNullable = other !== undefined && JSON.stringify(other) === '{"type":"null"}' && more.length === 0
  const { type = 'object', enum: values, ...others } = one ?? {}
  if (!isNullable || typeof type !== 'string' || type === 'object' || type === 'array') return part
  const { anyOf: _anyOf, ...rest } = part
  const choices = values === undefined ? {} : { enum: [...listOf(values), null] }
  return { type: [type, 'null'], ...choices, ...others, ...rest }
}

/** Moves each schema with a title or a common name to `schemas`. Returns the document with references to them. */
function shareSchemas(json: Json, schemas: Part, names: ReadonlyMap<string, string>): Json {
  if (json === null || typeof json !== 'object') return json
  if (isList(json)) return json.map((each) => shareSchemas(each, schemas, names))
  const shared = Object.entries(json).map(([name, value]) => [
    name,
    data.has(name) ? value : shareSchemas(value, schemas, names),
  ])
  const part = shorten(Object.fromEntries(shared))
  const { title = names.get(JSON.stringify(part)), ...schema } = part
  if (typeof title !== 'string' || !('type' in part)) return part
  const known = schemas[title]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`two schemas have the title ${title}: give each its own`)
  }
  schemas[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}

/**
 * Moves the parameters that several operations have. If a second one has the same name, the tag of its operation
 * precedes the name of the component.
 */
function shareParameters(operations: readonly Part[]): Part {
  const lists = operations.map(({ parameters }) => listOf(parameters).map(withoutDefaults))
  const isRepeated = repeated(lists.flat())
  const moved = new Mover('parameters')
  for (const [i, operation] of operations.entries()) {
    const list = lists[i] ?? []
    if (list.length === 0) continue
    operation['parameters'] = list.map((parameter) => {
      const { name } = partOf(parameter)
      if (typeof name !== 'string' || !isRepeated(parameter)) return parameter
      const [tag = ''] = listOf(operation['tags'])
      return moved.move([pascal(name), `${pascal(String(tag).replaceAll(' ', '-'))}${pascal(name)}`], parameter)
    })
  }
  return moved.parts
}

/** Returns a parameter without `required: false`, which is the default. */
function withoutDefaults(parameter: Json): Json {
  const { required, ...rest } = partOf(parameter)
  return required === true ? parameter : rest
}

/** Moves the responses that several operations have. */
function shareResponses(operations: readonly Part[]): Part {
  const responsesOf = ({ responses }: Part) => Object.entries(partOf(responses))
  const isRepeated = repeated(operations.flatMap((operation) => responsesOf(operation).map(([, response]) => response)))
  const moved = new Mover('responses')
  for (const operation of operations) {
    const responses = partOf(operation['responses'])
    for (const [status, response] of responsesOf(operation)) {
      if (isRepeated(response)) responses[status] = moved.move(namesOf(status, response), response)
    }
  }
  return moved.parts
}

/** Returns possible names of a response, shortest first: from its codes, else from its schema and its status. */
function namesOf(status: string, response: Json): string[] {
  const text = JSON.stringify(response)
  const codes = [...text.matchAll(/"enum":\[([A-Z_",]+)\]/g)].flatMap(([, found = '']) => found.match(/[A-Z_]+/g) ?? [])
  const [first, last] = [codes[0], codes.at(-1)]
  if (first === undefined || last === undefined) {
    return [`${text.match(/schemas\/(\w+)/)?.[1] ?? 'Delivery'}${pascal(status)}`]
  }
  if (first === last) return [pascal(first)]
  // The number stands for the other codes, because most operations refer to three or four of these names.
  return [`${pascal(first)}${codes.length}`, `${pascal(first)}Or${pascal(last)}`, codes.map(pascal).join('Or')]
}

function pascal(name: string): string {
  const words = name.split(/[_-]/).map((word) => (word === word.toUpperCase() ? word.toLowerCase() : word))
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** Returns whether a part occurs more than once. */
function repeated(parts: readonly Json[]): (part: Json) => boolean {
  const counts = new Map<string, number>()
  for (const text of parts.map((part) => JSON.stringify(part))) counts.set(text, (counts.get(text) ?? 0) + 1)
  return (part) => (counts.get(JSON.stringify(part)) ?? 0) > 1
}

/** Collects the components of one kind. */
class Mover {
  readonly parts: Part = {}
  readonly #kind: string

  constructor(kind: string) {
    this.#kind = kind
  }

  /** Returns a reference to the part under its first name that no other part has, or the part itself. */
  move(names: readonly string[], part: Json): Json {
    const text = JSON.stringify(part)
    const name = names.find((each) => !(each in this.parts) || JSON.stringify(this.parts[each]) === text)
    if (name === undefined) return part
    this.parts[name] = part
    return { $ref: `#/components/${this.#kind}/${name}` }
  }
}
