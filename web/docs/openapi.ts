import { readOpenApi } from '../../server/scripts/openapi-files.ts'

/** The parts of the OpenAPI documents that the pages use. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly format?: string
}
type Response = { readonly $ref?: string; readonly description?: string }
export type Operation = {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly operationId: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, Response>>
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

export const document: Document = JSON.parse(readOpenApi())

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { operationId }]) => operationId !== undefined)
    .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
)

/** The address of an operation in the API reference, which begins with the document that has it. */
export function referenceOf({ method, path, tags }: Operation): string {
  const document = path.startsWith('/operator/') ? 'operators' : 'users'
  return `reference/#${document}/tag/${(tags[0] ?? '').toLowerCase().replaceAll(' ', '-')}/${method}${path}`
}

const nameOf = ($ref: string) => $ref.split('/').at(-1) ?? ''

export function resolveSchema(schema: Schema): Schema {
  const { $ref } = schema
  return $ref === undefined ? schema : resolveSchema(document.components.schemas[nameOf($ref)] ?? {})
}

/** Returns the operations that can return an error code, with the status. */
export function operationsWith(code: string): Operation[] {
  const names = (response: Response) => {
    const shared = response.$ref === undefined ? response : document.components.responses[nameOf(response.$ref)]
    return shared?.description?.includes(`\`${code}\``) ?? false
  }
  return operations.filter(({ responses }) => Object.values(responses).some(names))
}

/** Returns an example of a schema, built from the examples of its parts. */
export function exampleOf(given: Schema): unknown {
  const schema = resolveSchema(given)
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [choice] = schema.anyOf ?? schema.allOf ?? []
  if (choice !== undefined) return exampleOf(choice)
  if (schema.properties !== undefined) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, exampleOf(part)]))
  }
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items)]
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return schema.format === 'date-time' ? '2026-01-31T09:30:00.000Z' : ''
  }
}

/** Returns the type of a schema in words. */
export function typeOf(given: Schema): string {
  const schema = resolveSchema(given)
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array' && schema.items !== undefined) return `array of ${typeOf(schema.items)}`
  const types = [schema.type ?? 'object'].flat().join(' or ')
  return schema.format === undefined ? types : `${types} (${schema.format})`
}
