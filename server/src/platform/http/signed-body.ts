import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { Refusal, type RefusalCode } from '../../lib/errors.ts'
import type { SigningKey } from '../../lib/signing-key.ts'
import { isSigned, isTimely, readSignatureHeader, type SignatureHeader } from '../crypto/body-signature.ts'
import { parseJson } from './json.ts'

/** Somebody who signs the bodies that they send, and what they are told when something is wrong with that. */
export type Sender = {
  /** as in `x-<name>-signature` */
  readonly name: string
  readonly keys: readonly SigningKey[]
  readonly refusals: { readonly header: RefusalCode; readonly time: RefusalCode; readonly signature: RefusalCode }
}

/** Refuses, before a byte of the body is read, whoever names no key that we know or another time than now. */
export function requireSignatureHeader(
  { name, keys, refusals }: Sender,
  { headers }: FastifyRequest,
  clock: Clock,
): SignatureHeader & { secret: string } {
  const claim = readSignatureHeader(name, headers)
  if (claim === null) throw new Refusal(refusals.header)
  if (!isTimely(claim, clock.now())) throw new Refusal(refusals.time)
  const key = keys.find(({ id }) => id === claim.keyId)
  if (key === undefined) throw new Refusal(refusals.signature)
  return { ...claim, secret: key.secret }
}

/** The body, once it proves to be signed: JSON parsed, lines of JSON as text. */
export function openSignedBody(app: FastifyInstance, sender: Sender, request: FastifyRequest, clock: Clock): void {
  const { secret, timestamp, candidates } = requireSignatureHeader(sender, request, clock)
  const bytes = bytesOf(request)
  if (!isSigned(secret, timestamp, bytes, candidates)) throw new Refusal(sender.refusals.signature)
  const text = textOf(bytes)
  const isLines = /^application\/x-ndjson\b/i.test(request.headers['content-type'] ?? '')
  if (isLines) request.body = text
  else request.body = text === '' ? undefined : parseJson(app, request, text)
}

/** Bodies of these routes stay bytes until the guard has found them signed. */
export function keepBytes(scope: FastifyInstance, ...types: string[]): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    ['application/json', ...types],
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => body,
  )
}

export function bytesOf({ body }: FastifyRequest): Buffer {
  const bytes = body ?? Buffer.alloc(0)
  if (!Buffer.isBuffer(bytes)) throw new Error('a route of a signing sender that does not keep the bytes of its body')
  return bytes
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal('INVALID_JSON')
  }
}
