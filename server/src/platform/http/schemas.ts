import { type Static, type TSchema, Type } from 'typebox'
import type { Hex } from 'viem'
import { type RefusalCode, refusals } from '../../lib/errors.ts'

/** Returns a reference to a shared schema, so that the OpenAPI document names it once. */
export function ref<T extends TSchema>(schema: T) {
  const id = '$id' in schema ? schema.$id : undefined
  if (typeof id !== 'string') throw new Error('a schema needs an $id to be referenced')
  return Type.Unsafe<Static<T>>({ $ref: `${id}#` })
}

/** Returns the schema of an enumeration of strings. */
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
  description: 'A non-negative integer in the smallest unit. The quantity is amount / 10^decimals.',
  examples: ['1250'],
})
export const Int32 = Type.Integer({ format: 'int32' })
export const exampleAddress = '0xcB444e90D8198415266c6a2724b7900fb12FC56E'
export const Address = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'An EVM address. Responses use the EIP-55 form.',
  examples: [exampleAddress],
})

export const exampleTxHash = '0x702e35a06a5cdb536b4a4dfb7bea619b6e5408736904ca0b27e971f066d8e206'
export const TxHash = Type.String({ examples: [exampleTxHash] })

/** A message that a wallet signed to approve a change. */
export const signedMessage = (signer: string) =>
  Type.Object({
    message: Type.String({ minLength: 1, maxLength: 4096, description: `The EIP-4361 message that ${signer} signed.` }),
    signature: Type.Unsafe<Hex>(Type.String({ pattern: '^0x(?:[0-9a-fA-F]{2})*$' })),
  })

/** The approval of a change by an owner of the user. */
export const OwnerApproval = Type.Object(signedMessage('an owner').properties, { title: 'OwnerApproval' })

/** The response of an operation that returns nothing but success. */
export const Done = Type.Object({ success: Type.Literal(true) }, { title: 'Success' })
export const done: Static<typeof Done> = { success: true }

const PlainError = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'An error code. docs/errors.md lists all codes.' }),
    message: Type.Optional(
      Type.String({ description: 'Only `WITHDRAWAL_TOO_SMALL` has a message. It names the minimum.' }),
    ),
  },
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
    examples: [{ message: 'The access token has expired. Sign in again.' }],
  },
)
const ServerError = Type.Object(
  { error: Type.String() },
  { $id: 'ServerError', additionalProperties: false, examples: [{ error: 'Internal server error' }] },
)

/** The schemas that the OpenAPI document and the validators share by name. Capabilities add theirs in routes.ts. */
export const sharedSchemas = [PlainError, ValidationError, BusinessError, SignInError, MessageError, ServerError]

/** The errors that do not depend on the operation. */
const general = {
  400: { text: 'The request is invalid. The message names the field.', codes: ['BAD_REQUEST', 'INVALID_JSON'] },
  413: { text: 'The body is too large.', codes: ['PAYLOAD_TOO_LARGE'] },
  415: { text: 'The body is not JSON.', codes: ['UNSUPPORTED_MEDIA_TYPE'] },
  429: {
    text: 'The rate limit is exceeded. Wait for the number of seconds in `Retry-After`.',
    codes: ['RATE_LIMITED'],
  },
  502: { text: 'A service behind Purser failed. Send the same request again.', codes: ['UPSTREAM_FAILURE'] },
} as const satisfies Record<number, { text: string; codes: readonly string[] }>

type General = keyof typeof general
const isGeneral = (status: number): status is General => status in general

/** Groups the declared errors by status. */
function byStatus(declared: readonly (General | RefusalCode)[]): Map<number, RefusalCode[]> {
  const found = new Map<number, RefusalCode[]>()
  for (const each of declared) {
    const [status, codes] = typeof each === 'number' ? [each, []] : [refusals[each][0], [each]]
    found.set(status, [...(found.get(status) ?? []), ...codes])
  }
  return found
}

function responses(
  declared: readonly (General | RefusalCode)[],
  shapeOf: Shape,
  describe: (code: RefusalCode) => string,
) {
  return Object.fromEntries(
    [...byStatus(declared)].map(([status, codes]) => {
      const texts = [...(isGeneral(status) ? [general[status].text] : []), ...codes.map(describe)]
      const schema = shapeOf(status, [...(isGeneral(status) ? general[status].codes : []), ...codes])
      const response = { description: texts.join('\n\n'), content: { 'application/json': { schema } } }
      codesOfResponse.set(response, codes)
      return [status, response]
    }),
  )
}

/** The codes of each response, so that errors of the same status can be added later. */
const codesOfResponse = new WeakMap<object, readonly RefusalCode[]>()

/** Adds errors to the responses of an operation. A status that the operation already declares keeps its own codes. */
export function addErrors(
  response: Record<string, unknown>,
  errors: (...declared: (General | RefusalCode)[]) => Record<string, object>,
  added: readonly (General | RefusalCode)[],
): void {
  const joined = Object.keys(errors(...added)).flatMap((status) => codesOfResponse.get(Object(response[status])) ?? [])
  // Fastify adds a route for HEAD with the same responses.
  Object.assign(response, errors(...new Set([...joined, ...added])))
}

type Shape = (status: number, codes: readonly string[]) => object

const withCode = (schema: TSchema) => (_status: number, codes: readonly string[]) => ({
  allOf: [ref(schema), { properties: { error: { enum: codes } } }],
})
/** Omits the advice, which docs/errors.md has, because the OpenAPI document names most codes many times. */
const codeAndSentence = (code: RefusalCode) => `\`${code}\`: ${refusals[code][1].replace(/(?<=\.) .*$/, '')}`

/** Returns the response entries of plain errors. A code selects its status. A 400 may also be a validation error. */
export function plainErrors(...declared: (General | RefusalCode)[]) {
  const plain = withCode(PlainError)
  const shapeOf: Shape = (status, codes) =>
    status === 400 ? { anyOf: [ref(ValidationError), plain(status, codes)] } : plain(status, codes)
  return responses(declared, shapeOf, codeAndSentence)
}

/** Returns the response entries of a rejected sign-in. */
export function signInErrors(...codes: RefusalCode[]) {
  return responses(codes, withCode(SignInError), codeAndSentence)
}

/** Returns the response entries of the KYC and IBAN groups: `{message}` below 500, `{error}` from 500 on, no code. */
export function messageErrors(...declared: (General | RefusalCode)[]) {
  const shapeOf: Shape = (status) => ref(status < 500 ? MessageError : ServerError)
  return responses(declared, shapeOf, (code) => refusals[code][1])
}
