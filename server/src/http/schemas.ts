import { type Static, type TSchema, Type } from 'typebox'

/** A reference to a shared schema, so that the document names it and repeats nothing. */
export function ref<T extends TSchema>(schema: T) {
  const id = '$id' in schema ? schema.$id : undefined
  if (typeof id !== 'string') throw new Error('only a schema with an $id can be referred to')
  return Type.Unsafe<Static<T>>({ $ref: `${id}#` })
}

/** One of the given texts, as JSON Schema's `enum`. */
export function oneOf<const T extends readonly string[]>(values: T, options: object = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })
}

export function nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] })
}

export const Uuid = Type.String({ format: 'uuid', examples: ['01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'] })
export const DateTime = Type.String({ format: 'date-time', examples: ['2026-01-31T09:30:00.000Z'] })
export const Amount = Type.String({
  pattern: '^[0-9]+$',
  description: 'Non-negative integer in the smallest unit; the quantity is amount / 10^decimals.',
  examples: ['1250'],
})
export const Int32 = Type.Integer({ format: 'int32' })
export const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'EVM address; answers are in EIP-55 form.',
  examples: ['0xcB444e90D8198415266c6a2724b7900fb12FC56E'],
})

/** The answer where there is nothing to say but that it is done. */
export const Done = Type.Object({ success: Type.Literal(true) })
export const done: Static<typeof Done> = { success: true }

const PlainError = Type.Object(
  { success: Type.Literal(false), error: Type.String({ description: 'A code of docs/errors.md.' }) },
  { $id: 'PlainError', additionalProperties: false, examples: [{ success: false, error: 'NOT_FOUND' }] },
)
export const ValidationError = Type.Object(
  {
    kind: Type.Literal('validation'),
    success: Type.Literal(false),
    error: Type.Object({ name: Type.Literal('ValidationError'), message: Type.String() }),
  },
  { $id: 'ValidationError', additionalProperties: false },
)
export const BusinessError = Type.Object(
  { kind: Type.Literal('business'), success: Type.Literal(false), error: Type.String() },
  { $id: 'BusinessError', additionalProperties: false },
)
export const SignInError = Type.Object(
  { success: Type.Literal(false), error: Type.String(), message: Type.String() },
  { $id: 'SignInError', additionalProperties: false },
)
const MessageError = Type.Object(
  { message: Type.String() },
  {
    $id: 'MessageError',
    additionalProperties: false,
    examples: [{ message: 'The access token has expired; sign in again.' }],
  },
)
const ServerError = Type.Object(
  { error: Type.String() },
  { $id: 'ServerError', additionalProperties: false, examples: [{ error: 'Internal server error' }] },
)

/** Schemas that the document and the validators share by name; a capability's own join through `app.addSchema`. */
export const sharedSchemas = [PlainError, ValidationError, BusinessError, SignInError, MessageError, ServerError]

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'No token, an invalid or expired one, or a wallet that belongs to no user.',
  403: 'Not allowed.',
  404: 'Not found, or not yours.',
  409: 'In conflict with the present state.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'Understood, but refused.',
  429: 'Too often; `Retry-After` says in how many seconds it is worth another try.',
  500: 'Our fault.',
  502: 'A service behind this one failed.',
}

function described<T extends object>(status: number, schema: T) {
  return { description: descriptions[status] ?? '', content: { 'application/json': { schema } } }
}

/** What is not valid gets the validation body; what cannot even be read, such as broken JSON, the plain one. */
const badRequest = { anyOf: [ref(ValidationError), ref(PlainError)] }

/** Response entries of the user API's errors. */
export function plainErrors(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, described(status, status === 400 ? badRequest : ref(PlainError))]),
  )
}

/** Response entries of the identity-verification and IBAN groups: `{message}` below 500, `{error}` above. */
export function messageErrors(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, described(status, ref(status < 500 ? MessageError : ServerError))]),
  )
}
