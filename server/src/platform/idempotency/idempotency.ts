import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { InvalidInput, Refusal, type RefusalCode, refusals } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { Tx } from '../db/db.ts'
import { errorBody, pathOf, sendRefusal } from '../http/errors.ts'
import { jsonType } from '../http/json.ts'
import { claimKey, deleteKey, deleteKeys, insertKey, lockKey, releaseKey, type StoredKey, storeAnswer } from './sql.ts'

/**
 * A repeated POST with the same `Idempotency-Key` gets the stored answer, byte for byte. Owns `idempotency_key`.
 * Scope: (user, key). Answers 400, 401, 429 and 5xx are not stored, so that a corrected or repeated try goes through.
 */
export type Answer =
  | { readonly status: number; readonly body: object }
  /** A refusal that keeps what was written; one that is thrown undoes it. */
  | { readonly refusal: RefusalCode }

/** Sandbox callers are no users; their keys have a scope of their own. */
export const sandboxScope = '00000000-0000-0000-0000-000000000000'

/** For the schema of every route that answers once. Without an example: request forms would send it with everything. */
export const KeyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A name of your own for this request. Sent again with it, the request gets the stored answer; with another path or body, 422 `IDEMPOTENCY_KEY_REUSED`. 400, 401, 429 and 5xx are not stored.',
    }),
  ),
})

const leaseSeconds = 60

/** For facts of our own: the key's row is in the fact's transaction, so a second request waits and gets the answer. */
export async function answerOnce(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  scope: string,
  work: (tx: Tx) => Promise<Answer>,
): Promise<FastifyReply> {
  const key = keyOf(request)
  if (key === null) {
    return sendAnswer(request, reply, await ctx.db.transaction(work))
  }
  const requestHash = hashOf(request)
  const now = ctx.clock.now()
  const stored = await ctx.db.transaction(async (tx) => {
    const isFirst = await insertKey(tx, { scope, key, requestHash, refId: newId(now), leaseUntil: now, now })
    if (!isFirst) return sameRequest(await lockKey(tx, scope, key), requestHash)
    const answer = await storable(request, reply, () => tx.savepoint(() => work(tx)))
    await storeAnswer(tx, scope, key, answer)
    return answer
  })
  return send(reply, stored)
}

/** Nobody can ask again in that scope. */
export async function eraseKeys(tx: Tx, scope: string): Promise<void> {
  await deleteKeys(tx, scope)
}

/**
 * For work that calls a provider: the key is claimed first, with a lease. `refId` is the same for every try with this
 * key; work names what it creates by it, so that a try after an unknown outcome creates nothing twice.
 */
export async function answerOnceClaimed(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  scope: string,
  work: (refId: string) => Promise<Answer>,
): Promise<FastifyReply> {
  const key = keyOf(request)
  if (key === null) {
    return sendAnswer(request, reply, await work(newId(ctx.clock.now())))
  }
  const claim = await ctx.db.transaction((tx) => claimOrRead(ctx, tx, scope, key, hashOf(request)))
  if ('status' in claim) return send(reply, claim)
  try {
    const answer = await storable(request, reply, () => work(claim.refId))
    await storeAnswer(ctx.db, scope, key, answer)
    return send(reply, answer)
  } catch (error) {
    // Refused before anything happened: the key is free for the corrected request. Else the outcome may be unknown:
    // the key stays with its refId, and the next try takes it over at once.
    if (error instanceof InvalidInput || error instanceof Refusal) await deleteKey(ctx.db, scope, key)
    else await releaseKey(ctx.db, scope, key, ctx.clock.now())
    throw error
  }
}

type StoredAnswer = { readonly status: number; readonly body: string }

async function claimOrRead(
  ctx: Ctx,
  tx: Tx,
  scope: string,
  key: string,
  requestHash: string,
): Promise<StoredAnswer | { refId: string }> {
  const now = ctx.clock.now()
  const leaseUntil = addSeconds(now, leaseSeconds)
  const refId = newId(now)
  if (await insertKey(tx, { scope, key, requestHash, refId, leaseUntil, now })) return { refId }
  const found = await lockKey(tx, scope, key)
  if (found.status !== null) return sameRequest(found, requestHash)
  if (found.requestHash !== requestHash) throw new Refusal('IDEMPOTENCY_KEY_REUSED')
  if (found.leaseUntil > now) throw new Refusal('REQUEST_IN_PROGRESS')
  await claimKey(tx, scope, key, leaseUntil)
  return { refId: found.refId }
}

function sameRequest(found: StoredKey, requestHash: string): StoredAnswer {
  if (found.requestHash !== requestHash) throw new Refusal('IDEMPOTENCY_KEY_REUSED')
  if (found.status === null || found.body === null) throw new Refusal('REQUEST_IN_PROGRESS')
  return { status: found.status, body: found.body }
}

function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  if ('refusal' in answer) return sendRefusal(request, reply, answer.refusal)
  return reply.code(answer.status).send(answer.body)
}

/** The work's answer, or the refusal that is an answer, as the text to store and send. */
async function storable(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<Answer>,
): Promise<StoredAnswer> {
  try {
    const answer = await work()
    if ('refusal' in answer) return storedRefusal(request, answer.refusal)
    return { status: answer.status, body: serialized(reply, answer.status, answer.body) }
  } catch (error) {
    if (!(error instanceof Refusal) || [400, 401, 429].includes(error.status) || error.status >= 500) throw error
    return storedRefusal(request, error.code)
  }
}

/** By the route's own schema for the status, whether that is given plainly or by content type. */
function serialized(reply: FastifyReply, status: number, body: object): string {
  const serialize =
    reply.getSerializationFunction(String(status), 'application/json') ?? reply.getSerializationFunction(String(status))
  return serialize ? String(serialize({ ...body })) : JSON.stringify(body)
}

function storedRefusal(request: FastifyRequest, code: RefusalCode): StoredAnswer {
  const [status, message] = refusals[code]
  return { status, body: JSON.stringify(errorBody(pathOf(request), status, code, message)) }
}

function send(reply: FastifyReply, { status, body }: StoredAnswer): FastifyReply {
  return reply.code(status).header('content-type', jsonType).send(body)
}

function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  return typeof key === 'string' ? key : null
}

function hashOf(request: FastifyRequest): string {
  const path = request.url.split('?', 1)[0]
  return createHash('sha256')
    .update(JSON.stringify([request.method, path, request.body ?? null]))
    .digest('base64url')
}
