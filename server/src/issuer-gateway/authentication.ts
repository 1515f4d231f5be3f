import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { parseJson } from '../http/json.ts'
import { isSigned } from '../lib/body-signature.ts'
import { Refusal } from '../lib/refusal.ts'
import { isTimely, readClaim, secretOf } from './rules.ts'

/** Refuses, before a byte of the body is read, whoever names no key of ours or another time than now. */
export function requireSignature(ctx: Ctx, request: FastifyRequest) {
  const claim = readClaim(request.headers)
  if (claim === null) throw new Refusal('ISSUER_UNAUTHORIZED')
  if (!isTimely(claim, ctx.clock.now())) throw new Refusal('ISSUER_TIMESTAMP_REFUSED')
  const secret = secretOf(ctx.config.issuerKeys, claim)
  if (secret === null) throw new Refusal('ISSUER_SIGNATURE_REFUSED')
  return { ...claim, secret }
}

/** The body, once it proves to be signed: JSON parsed, lines of JSON as text. */
export function openSignedBody(ctx: Ctx, app: FastifyInstance, request: FastifyRequest): void {
  const { secret, timestamp, candidates } = requireSignature(ctx, request)
  const bytes = request.body ?? Buffer.alloc(0)
  if (!Buffer.isBuffer(bytes)) throw new Error('a route of the issuer that does not keep the bytes of its body')
  if (!isSigned(secret, timestamp, bytes, candidates)) throw new Refusal('ISSUER_SIGNATURE_REFUSED')
  const text = textOf(bytes)
  const isLines = /^application\/x-ndjson\b/i.test(request.headers['content-type'] ?? '')
  if (isLines) request.body = text
  else request.body = text === '' ? undefined : parseJson(app, request, text)
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal('INVALID_JSON')
  }
}
