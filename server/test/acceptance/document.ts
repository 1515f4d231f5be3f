import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { mergeDocuments } from '../../scripts/openapi-files.ts'

export type Operation = { id: string; method: string; path: string; isSandbox: boolean; definition: any }

/** The service's OpenAPI documents as one, which every response must match. */
export type Document = {
  operations: Operation[]
  find(method: string, path: string): Operation | undefined
  /** Returns null if the response matches the document, else the difference. */
  problemOf(operation: Operation, answer: { status: number; contentType: string; text: string }): string | null
}

/** Statuses of requests that fail before their operation, such as 401, 404, 405 or 415. */
const anywhere = new Set([400, 401, 404, 405, 413, 415, 431])

export async function readDocument(url: string): Promise<Document> {
  return parseDocument(await fetchOpenApi(url))
}

/** Returns the OpenAPI documents of a service as one. A service may have no API of operators. */
export async function fetchOpenApi(url: string): Promise<any> {
  const [users, operators] = await Promise.all(
    ['/openapi.json', '/operator/openapi.json'].map((path) => fetch(`${url}${path}`)),
  )
  const document = await users?.json()
  return operators?.ok ? mergeDocuments(document, await operators.json()) : document
}

function parseDocument(document: any): Document {
  // Validate against the whole document, because schemas contain references into it.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  formats.default(ajv)
  ajv.addSchema({ $id: 'document', ...document })

  const operations: Operation[] = Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, definition]) => ({
        id: definition.operationId ?? `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        isSandbox: path.startsWith('/sandbox/'),
        definition: withSharedParts(definition, document),
      })),
  )
  // A path without parameters takes precedence over one with parameters.
  const patterns = [...operations]
    .sort((one, other) => one.path.split('{').length - other.path.split('{').length)
    .map((operation) => ({
      operation,
      pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    }))

  function schemaOf(pointer: string[]) {
    const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    return ajv.getSchema(`document#/${escaped.join('/')}`)
  }

  return {
    operations,
    find(method, url) {
      // Use the path as it is sent, because a ".." segment leads to another path.
      const path = new URL(url, 'http://localhost').pathname
      return patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation
    },
    problemOf(operation, { status, contentType, text }) {
      const declared = operation.definition.responses[String(status)]
      if (declared === undefined && anywhere.has(status)) return null
      if (declared === undefined) return `${operation.id}: ${status} is not declared; body ${text.slice(0, 300)}`
      if (declared.content === undefined) return text === '' ? null : `${operation.id}: ${status} declares no body`
      const type = contentType.split(';', 1)[0] ?? ''
      if (declared.content[type] === undefined) return `${operation.id}: ${status} declares no ${type}`
      const place = declared.place ?? [
        'paths',
        operation.path,
        operation.method.toLowerCase(),
        'responses',
        String(status),
      ]
      const validate = schemaOf([...place, 'content', type, 'schema'])
      if (validate === undefined) return `${operation.id}: ${status} has no schema`
      const body = type === 'application/json' ? parseJson(text) : text
      if (validate(body)) return null
      return `${operation.id}: ${status} ${ajv.errorsText(validate.errors)}; body ${text.slice(0, 500)}`
    },
  }
}

/** Replaces references to shared parameters and responses by their content. `place` is where a shared response is. */
function withSharedParts(operation: any, { components }: any): any {
  const sharedOf = (part: any) => {
    if (part.$ref === undefined) return part
    const [, place, kind, name] = part.$ref.split('/')
    return { ...components[kind][name], place: [place, kind, name] }
  }
  const responses = Object.entries<any>(operation.responses).map(([status, each]) => [status, sharedOf(each)])
  const parameters = operation.parameters?.map(sharedOf)
  const { requestBody } = operation
  const body = requestBody?.content['application/json']?.schema
  const properties = Object.entries<any>(body?.properties ?? {}).map(([name, each]) => [name, sharedOf(each)])
  const schema = body && { ...body, ...(body.properties && { properties: Object.fromEntries(properties) }) }
  return {
    ...operation,
    ...(parameters && { parameters }),
    ...(body && { requestBody: { ...requestBody, content: { 'application/json': { schema } } } }),
    responses: Object.fromEntries(responses),
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
