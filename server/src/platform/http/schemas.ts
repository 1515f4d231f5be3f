import { type Static, type TSchema, Type } from 'typebox'
import { type RefusalCode, refusals } from '../../lib/errors.ts'

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
export const exampleAddress = '0xcB444e90D8198415266c6a2724b7900fb12FC56E'
export const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'EVM address; answers are in EIP-55 form.',
  examples: [exampleAddress],
})

export const exampleTxHash = '0x702e35a06a5cdb536b4a4dfb7bea619b6e5408736904ca0b27e971f066d8e206'
export const TxHash = Type.String({ examples: [exampleTxHash] })

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
const SignInError = Type.Object(
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

/** What any request of the kind may be answered, whatever it is about. */
const general = {
  400: { told: 'The request is not valid; the message says where.', codes: ['BAD_REQUEST', 'INVALID_JSON'] },
  413: { told: 'The body is too large.', codes: ['PAYLOAD_TOO_LARGE'] },
  415: { told: 'The body is not JSON.', codes: ['UNSUPPORTED_MEDIA_TYPE'] },
  429: { told: 'Too often; `Retry-After` says in how many seconds it is worth another try.', codes: ['RATE_LIMITED'] },
  502: { told: 'A service behind this one failed; the same request may be sent again.', codes: ['UPSTREAM_FAILURE'] },
} as const satisfies Record<number, { told: string; codes: readonly string[] }>

type General = keyof typeof general
const isGeneral = (status: number): status is General => status in general

/** Each status that is declared, generally or by one of its codes, with all of its codes. */
function byStatus(declared: readonly (General | RefusalCode)[]): Map<number, RefusalCode[]> {
  const found = new Map<number, RefusalCode[]>()
  for (const each of declared) {
    const [status, codes] = typeof each === 'number' ? [each, []] : [refusals[each][0], [each]]
    found.set(status, [...(found.get(status) ?? []), ...codes])
  }
  return found
}

function answers(declared: readonly (General | RefusalCode)[], shapeOf: Shape, tell: (code: RefusalCode) => string) {
  return Object.fromEntries(
    [...byStatus(declared)].map(([status, codes]) => {
      const told = [...(isGeneral(status) ? [general[status].told] : []), ...codes.map(tell)]
      const schema = shapeOf(status, [...(isGeneral(status) ? general[status].codes : []), ...codes])
      return [status, { description: told.join('\n\n'), content: { 'application/json': { schema } } }]
    }),
  )
}

type Shape = (status: number, codes: readonly string[]) => object

const withCode = (schema: TSchema) => (_status: number, codes: readonly string[]) => ({
  allOf: [ref(schema), { type: 'object', properties: { error: { type: 'string', enum: codes } } }],
})
const codeAndSentence = (code: RefusalCode) => `\`${code}\`: ${refusals[code][1]}`

/** Response entries of the user API's errors: a code names its status. What is not valid gets the validation body. */
export function plainErrors(...declared: (General | RefusalCode)[]) {
  const plain = withCode(PlainError)
  const shapeOf: Shape = (status, codes) =>
    status === 400 ? { anyOf: [ref(ValidationError), plain(status, codes)] } : plain(status, codes)
  return answers(declared, shapeOf, codeAndSentence)
}

/** Of a sign-in that is refused. */
export function signInErrors(...codes: RefusalCode[]) {
  return answers(codes, withCode(SignInError), codeAndSentence)
}

/** Of the identity-verification and IBAN groups: `{message}` below 500, `{error}` above, and no code. */
export function messageErrors(...declared: (General | RefusalCode)[]) {
  const shapeOf: Shape = (status) => ref(status < 500 ? MessageError : ServerError)
  return answers(declared, shapeOf, (code) => refusals[code][1])
}
