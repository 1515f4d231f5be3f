import { readOpenApi } from '../../server/scripts/openapi-files.ts'

/** The parts of the OpenAPI documents that the pages use. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
}
type Response = {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}
export type Operation = {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly operationId: string
  readonly tags: readonly string[]
  /** Each entry is a set of credentials that suffices. Without this field, the default of the document applies. */
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly 'x-permission'?: string
  readonly responses: Readonly<Record<string, Response>>
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly info: { readonly description: string }
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
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

/**
 * Returns the address of an operation in the API reference. The fragment begins with the name of the document that has
 * the operation.
 */
export function referenceOf({ method, path, tags }: Operation): string {
  const document = path.startsWith('/operator/') ? 'operators' : 'users'
  return `reference/#${document}/tag/${(tags[0] ?? '').toLowerCase().replaceAll(' ', '-')}/${method}${path}`
}

const nameOf = ($ref: string) => $ref.split('/').at(-1) ?? ''

export function resolveSchema(schema: Schema): Schema {
  const { $ref } = schema
  return $ref === undefined ? schema : resolveSchema(document.components.schemas[nameOf($ref)] ?? {})
}

/**
 * Returns the codes of the errors that an operation can return: those that a description names, and those of a schema.
 */
export function errorCodesOf({ responses }: Operation): string[] {
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  const codes = errors.flatMap(([, { $ref, ...own }]) => {
    const { description = '', content = {} } =
      $ref === undefined ? own : (document.components.responses[nameOf($ref)] ?? own)
    const named = [...description.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code = '']) => code)
    return [...named, ...Object.values(content).flatMap(({ schema }) => (schema === undefined ? [] : codesIn(schema)))]
  })
  return [...new Set(codes)]
}

function codesIn(given: Schema): string[] {
  if (given.$ref !== undefined && nameOf(given.$ref) === 'ValidationError') return ['VALIDATION']
  const { properties, anyOf = [], allOf = [] } = resolveSchema(given)
  return [...(properties?.['error']?.enum ?? []).map(String), ...[...anyOf, ...allOf].flatMap(codesIn)]
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
