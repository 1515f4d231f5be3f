import openapiTypes, { astToString } from 'openapi-typescript'
import { type RefusalCode, refusals } from '../src/lib/errors.ts'

/**
 * Writes the generated sources of the client from the OpenAPI document: types, the table of operations with the type of
 * each method, named models, and error codes. An operation's `operationId` names its method: `cards.create` becomes
 * `purser.cards.create()`.
 */
type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}
type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }
type Response = Content & { readonly $ref?: string }
type Parameter = { readonly $ref?: string; readonly in: string; readonly name: string } & {
  readonly required?: boolean
  readonly schema: Schema
}
type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Response>>
}
type Document = {
  /** The security of operations that name none. */
  readonly security?: Operation['security']
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, unknown>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Response>>
    readonly securitySchemes: Readonly<Record<string, { readonly type: string }>>
  }
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const head = '// Generated from the OpenAPI documents by `npm run build`; do not edit.\n\n'
const idPattern = /^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/
/** Members of every client, so no resource may have these names. */
const reserved = ['request']

/** Returns the generated files by their path. */
export async function clientSources(text: string): Promise<Record<string, string>> {
  const document: Document = JSON.parse(text)
  const known = operationsOf(document)
  return {
    // Fields with a default are optional in requests.
    'client/src/api.ts': head + astToString(await openapiTypes(text, { defaultNonNullable: false })),
    'client/src/operations.ts': head + operationTable(known.methods, known.aliases),
    'client/src/resources.ts': head + resourceTypes(known.methods),
    'client/src/models.ts': head + models(document),
    'client/src/error-codes.ts': errorCodes(),
  }
}

/** One method of the client. The flags are those that `client/src/purser.ts` reads. */
type Method = {
  readonly id: string
  readonly route: string
  readonly summary: string
  readonly flags: string
  readonly isList: boolean
  readonly parameters: readonly string[]
}

/** Returns the operations that are methods, and the aliases of paths, which only raw requests use. */
function operationsOf(document: Document): Readonly<Record<'methods' | 'aliases', Method[]>> {
  const known = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined || !isForClients(document, operation)
        ? []
        : [methodOf(document, method.toUpperCase(), path, operation)]
    }),
  )
  const sorted = known.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const isAlias = ({ id }: Method) => id.endsWith('Alias')
  return { methods: sorted.filter((each) => !isAlias(each)), aliases: sorted.filter(isAlias) }
}

/**
 * Returns whether clients call the operation: it is public, or a bearer token or HTTP Basic authorizes it. Processors
 * and providers sign their requests instead.
 */
function isForClients(document: Document, { operationId, security = document.security ?? [] }: Operation): boolean {
  if (!idPattern.test(operationId) || reserved.includes(operationId.split('.')[0] ?? '')) {
    throw new Error(`the operationId "${operationId}" must be a resource and a method, such as cards.create`)
  }
  const isHttp = (name: string) => document.components.securitySchemes[name]?.type === 'http'
  return security.length === 0 || security.some((schemes) => Object.keys(schemes).some(isHttp))
}

function methodOf(document: Document, method: string, path: string, operation: Operation): Method {
  const {
    operationId: id,
    summary,
    security = document.security ?? [],
    requestBody,
    parameters: given = [],
  } = operation
  const parameters = given.map((each) => resolved(each, document.components.parameters))
  const query = parameters.filter((each) => each.in === 'query')
  const body = jsonOf(requestBody)
  const paging = pagingOf(document, operation, query)
  const flags = [
    security.length === 0 ? 'o' : '',
    body !== undefined ? 'b' : query.length > 0 ? 'q' : '',
    parameters.some(({ name }) => name === 'Idempotency-Key') ? 'k' : '',
    isText(document, operation) ? 't' : '',
    paging ?? '',
  ].join('')
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string`)
  const isOptional = (resolved(body ?? {}, document.components.schemas).required ?? []).length === 0
  const params =
    body !== undefined
      ? [`body${isOptional ? '?' : ''}: BodyOf<'${id}'>`]
      : query.length > 0
        ? [`query${query.some(({ required }) => required) ? '' : '?'}: QueryOf<'${id}'>`]
        : []
  return {
    id,
    route: `${method} ${path}`,
    summary,
    flags,
    isList: paging !== null,
    parameters: [...names, ...params, 'options?: CallOptions'],
  }
}

function isText({ components }: Document, { responses }: Operation): boolean {
  const types = Object.keys(resolved(responses['200'] ?? {}, components.responses).content ?? {})
  return types.length > 0 && !types.includes('application/json')
}

/**
 * Returns `l` for a whole list, `c` for pages with cursors, and `p:after=<field>` or `p:before=<field>` for pages after
 * or before an item; null: no list.
 */
function pagingOf({ components }: Document, { responses }: Operation, query: readonly Parameter[]): string | null {
  const success = resolved(responses['200'] ?? {}, components.responses)
  const page = resolved(jsonOf(success) ?? {}, components.schemas)
  const data = page.properties?.['data']
  if (data?.items === undefined) return null
  const pagination = resolved(page.properties?.['pagination'] ?? {}, components.schemas).properties ?? {}
  if ('nextCursor' in pagination) return 'c'
  const place = query.find(({ name }) => name === 'after' || name === 'before')
  if (place === undefined || !('hasNext' in pagination)) return 'l'
  return `p:${place.name}=${fieldOf(place, resolved(data.items, components.schemas), components.schemas)}`
}

/**
 * Returns the field of an item that the parameter takes: the one that its description names, or the first of its
 * format.
 */
function fieldOf(
  { name, schema: given, ...parameter }: Parameter,
  { properties = {} }: Schema,
  shared: Readonly<Record<string, Schema>>,
): string {
  const schema = resolved(given, shared)
  const text = JSON.stringify({ schema, ...parameter })
  const fields = Object.keys(properties)
  const isAlike = (field: Schema) => {
    const { format, pattern } = resolved(field, shared)
    return format === schema.format && pattern === schema.pattern
  }
  const found =
    fields.find((field) => text.includes(`\`${field}\``)) ??
    fields.find((field) => (schema.format ?? schema.pattern) !== undefined && isAlike(properties[field] ?? {}))
  if (found === undefined) throw new Error(`the parameter "${name}" of a list must name the field of its items`)
  return found
}

function jsonOf(content: Content | undefined): Schema | undefined {
  return content?.content?.['application/json']?.schema
}

function resolved<T extends { readonly $ref?: string }>(part: T, shared: Readonly<Record<string, T>>): T {
  return part.$ref === undefined ? part : (shared[part.$ref.split('/').at(-1) ?? ''] ?? part)
}

type Tree = { [name: string]: Tree | Method }

const isMethod = (node: Tree | Method): node is Method => typeof node['route'] === 'string'

function treeOf(known: readonly Method[]): Tree {
  const root: Tree = {}
  for (const method of known) {
    const names = method.id.split('.')
    let node = root
    for (const name of names.slice(0, -1)) {
      const next = node[name] ?? {}
      if (isMethod(next)) throw new Error(`the operationId "${next.id}" is also the resource of "${method.id}"`)
      node[name] = next
      node = next
    }
    const last = names.at(-1) ?? ''
    if (node[last] !== undefined) throw new Error(`the operationId "${method.id}" is not unique`)
    node[last] = method
  }
  return root
}

function render(tree: Tree, leaf: (name: string, method: Method, indent: string) => string, indent = '  '): string {
  return Object.entries(tree)
    .map(([name, node]) =>
      isMethod(node)
        ? leaf(name, node, indent)
        : `${indent}${name}: {\n${render(node, leaf, `${indent}  `)}${indent}}${leaf === tableLine ? ',' : ''}\n`,
    )
    .join('')
}

const tableLine = (name: string, { route, flags }: Method, indent: string) =>
  `${indent}${name}: '${route}${flags && ` ${flags}`}',\n`

const typeLine = (name: string, { id, route, summary, isList, parameters }: Method, indent: string) =>
  `${indent}/** ${summary}. \`${route}\` */\n${indent}${name}(${parameters.join(', ')}): ${isList ? 'List' : 'Call'}<ResultOf<'${id}'>>\n`

function operationTable(known: readonly Method[], aliases: readonly Method[]): string {
  return `/**
 * Each operation as its method, path and flags. \`o\`: needs no credential. \`b\`, \`q\`: takes a body or a query.
 * \`k\`: takes an idempotency key. \`t\`: returns a text. \`l\`, \`c\`: a list in one part, or by cursor.
 * \`p:<parameter>=<field>\`: a list whose next page is requested with this field of the last item.
 */
export const operations = {
${render(treeOf(known), tableLine)}}

/** Second paths of operations. They have no method, but raw requests may use them. */
export const aliases = {
${render(treeOf(aliases), tableLine)}}
`
}

function resourceTypes(known: readonly Method[]): string {
  return `import type { Call, List } from './call.ts'
import type { BodyOf, CallOptions, QueryOf, ResultOf } from './types.ts'

/** The operations of the service, by resource. */
export type Resources = {
${render(treeOf(known), typeLine)}}
`
}

function models({ components, webhooks }: Document): string {
  const names = Object.keys(components.schemas).toSorted()
  const aliases = names.map((name) => `export type ${name} = components['schemas']['${name}']\n`)
  return `import type { components } from './api.ts'

${aliases.join('')}
/** One member for each event type. */
type ByType<Event extends { type: string }> = Event extends unknown
  ? { [Type in Event['type']]: Omit<Event, 'type'> & { type: Type } }[Event['type']]
  : never

/** Any event that a webhook endpoint receives. \`type\` tells them apart. */
export type WebhookEvent = ByType<${Object.keys(webhooks).join(' | ')}>
`
}

/** Codes without a row in the table of refusals. The client adds the last three itself. */
const otherCodes = ['VALIDATION', 'UPSTREAM_FAILURE', 'INTERNAL_ERROR', 'CONNECTION_FAILED', 'TIMEOUT', 'UNKNOWN']

function errorCodes(): string {
  const codes: (RefusalCode | string)[] = [...Object.keys(refusals), ...otherCodes].toSorted()
  return `// Generated from server/src/lib/errors.ts by \`npm run build\`; do not edit.

/** Every error code. A code of a newer service becomes \`UNKNOWN\`. */
export type ErrorCode =
${codes.map((code) => `  | '${code}'\n`).join('')}
/** The same codes, separated by spaces. */
export const errorCodes =
  '${codes.join(' ')}'
`
}
