import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import { Refusal, type RefusalCode } from '../../lib/errors.ts'
import type { SigningKey } from '../../lib/signing-key.ts'
import { isSigned, isTimely, readSignatureHeader, type SignatureHeader } from '../crypto/body-signature.ts'
import { parseJson } from './json.ts'

/** A sender that signs its request bodies, with the refusals for an invalid signature. */
export type Sender = {
  /** The name in the headers `x-<name>-…`. */
  readonly name: string
  readonly keys: readonly SigningKey[]
  readonly refusals: { readonly header: RefusalCode; readonly time: RefusalCode; readonly signature: RefusalCode }
}

/**
 * Rejects a request by its signature headers, before its body is read: malformed headers, an unknown key, or a
 * timestamp outside the replay window.
 */
export function requireSignatureHeader(
  { name, keys, refusals }: Sender,
  { headers }: FastifyRequest,
  clock: Clock,
): SignatureHeader & { secret: string } {
  const signature = readSignatureHeader(name, headers)
  if (signature === null) throw new Refusal(refusals.header)
  if (!isTimely(signature, clock.now())) throw new Refusal(refusals.time)
  const key = keys.find(({ id }) => id === signature.keyId)
  if (key === undefined) throw new Refusal(refusals.signature)
  return { ...signature, secret: key.secret }
}

/** Verifies the signature of the body, then parses JSON. Newline-delimited JSON stays text. */
export function openSignedBody(app: FastifyInstance, sender: Sender, request: FastifyRequest, clock: Clock): void {
  const { secret, timestamp, candidates } = requireSignatureHeader(sender, request, clock)
  const bytes = bytesOf(request)
  if (!isSigned(secret, timestamp, bytes, candidates)) throw new Refusal(sender.refusals.signature)
  const text = textOf(bytes)
  const isLines = /^application\/x-ndjson\b/i.test(request.headers['content-type'] ?? '')
  if (isLines) request.body = text
  else request.body = text === '' ? undefined : parseJson(app, request, text)
}

/** Leaves the bodies of these routes unparsed until the guard has verified their signature. */
export function leaveBodiesAsBytes(scope: FastifyInstance, ...types: string[]): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    ['application/json', ...types],
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => body,
  )
}

/** The response to a provider's callback, the same for every callback. */
export const Received = Type.Object({ received: Type.Literal(true) })
export const received: Static<typeof Received> = { received: true }

/** Registers the routes of a provider's callbacks, whose bodies are parsed only after their signature is verified. */
export function registerCallbacks(app: FastifyInstance, register: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    leaveBodiesAsBytes(scope)
    register(scope)
  })
}

export function bytesOf({ body }: FastifyRequest): Buffer {
  const bytes = body ?? Buffer.alloc(0)
  if (!Buffer.isBuffer(bytes)) throw new Error('a route with signed bodies must be registered with leaveBodiesAsBytes')
  return bytes
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal('INVALID_JSON')
  }
}
