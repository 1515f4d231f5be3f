import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { InvalidInput, Refusal, type RefusalCode, refusals } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { Queryable, Tx } from '../db/db.ts'
import { codeHeader, codeOfBody, errorBody, errorShapeOf, sendRefusal } from '../http/errors.ts'
import { jsonType } from '../http/json.ts'
import {
  deleteExpiredKeys,
  deleteIdempotencyKey,
  deleteOldestKeys,
  deleteScope,
  endLease,
  extendLease,
  insertIdempotencyKey,
  lockIdempotencyKey,
  type NewKey,
  releaseLease,
  type StoredKey,
  scanDueKeys,
  scanDueLeases,
  storeResponse,
} from './sql.ts'

/**
 * Returns the stored response, byte for byte, to a POST that repeats its `Idempotency-Key`. Owns `idempotency_key`. The
 * scope of a key is the user or partner. Responses 400, 401, 429 and 5xx are not stored, so that a corrected or later
 * request can succeed under the same key. The response to a request that moved money never expires. All others expire
 * after a day.
 */
export type RouteResult =
  | { readonly status: number; readonly body: object }
  /** Rejects the request but commits the transaction. A thrown refusal rolls it back. */
  | { readonly refusal: RefusalCode }

/** The scope of all sandbox requests, since their callers are not users. */
export const sandboxScope = '00000000-0000-0000-0000-000000000000'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether stored responses of successful requests to this route never expire. */
    keepsResponses?: boolean
  }
}

const retainedSeconds = 24 * 3600
/**
 * The maximum number of expiring keys per user or partner. The sandbox's scope has no maximum, because all callers
 * share it.
 */
const maxExpiringKeys = 1000

/**
 * The header schema of every route that takes a key. It has no example, because request forms would send the example.
 */
export const KeyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A unique key that you choose for this request. A repeated request with the same key returns the stored response. The same key with another path or body returns 422 `IDEMPOTENCY_KEY_REUSED`. Responses 400, 401, 429 and 5xx are not stored.',
    }),
  ),
})

const leaseSeconds = 60
/** Almost every request ends within a second. */
const retrySeconds = 1

/**
 * Runs work that only writes to the database. The key's row commits with the work, so a concurrent request with the
 * same key waits for the row and then gets the stored response.
 */
export async function respondOnce(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  scope: string,
  work: (tx: Tx) => Promise<RouteResult>,
): Promise<FastifyReply> {
  const key = keyOf(request)
  if (key === null) {
    return sendResult(request, reply, await ctx.db.transaction(work))
  }
  const requestHash = hashOf(request)
  const now = ctx.clock.now()
  const stored = await ctx.db.transaction(async (tx) => {
    const expiresAt = expiryOf(request, now)
    const found = await insertOrLock(tx, {
      scope,
      key,
      requestHash,
      refId: newId(now),
      leaseUntil: now,
      leasedBy: null,
      now,
      expiresAt,
    })
    if (found !== null) return sameRequest(found, requestHash)
    const response = await storable(request, reply, () => tx.savepoint(() => work(tx)))
    await store(ctx, tx, request, scope, key, response)
    return response
  })
  return send(reply, stored)
}

const batchSize = 500

/** Deletes expired keys in batches. */
export async function deleteExpired({ db, clock }: Ctx, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = clock.now()
    const expired = await scanDueKeys(db, now, batchSize)
    if (expired.length > 0) await deleteExpiredKeys(db, expired, now)
    if (expired.length < batchSize) return
  }
}

/** Ends the leases of a killed process, so that a repeated request continues its work immediately. */
export async function releaseKeys({ db, clock }: Ctx, deadProcess: string): Promise<void> {
  const now = clock.now()
  for (const each of await scanDueLeases(db, deadProcess, now)) await releaseLease(db, each, deadProcess, now)
}

/** Deletes all keys of a scope, with their stored responses. */
export async function eraseKeys(tx: Tx, scope: string): Promise<void> {
  await deleteScope(tx, scope)
}

/**
 * Runs work that calls a provider. The key is stored first, with a lease. Every attempt with the key gets the same
 * `refId`. Work derives the provider's id from it, so that a retry after an unknown outcome creates nothing twice.
 */
export async function respondOnceWithLease(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  scope: string,
  work: (refId: string) => Promise<RouteResult>,
): Promise<FastifyReply> {
  const key = keyOf(request)
  if (key === null) {
    return sendResult(request, reply, await work(newId(ctx.clock.now())))
  }
  const taken = await ctx.db.transaction((tx) => leaseOrRead(ctx, tx, request, scope, key))
  if ('status' in taken) return send(reply, taken)
  try {
    const response = await storable(request, reply, () => work(taken.refId))
    await store(ctx, ctx.db, request, scope, key, response)
    return send(reply, response)
  } catch (error) {
    // A rejected request had no effect, so the key is free for a corrected one. After any other error the outcome is
    // unknown: the refId of the key stays, and the next attempt continues with it.
    if (error instanceof InvalidInput || error instanceof Refusal) await deleteIdempotencyKey(ctx.db, scope, key)
    else await endLease(ctx.db, scope, key, ctx.clock.now())
    throw error
  }
}

type StoredResponse = { readonly status: number; readonly body: string }

async function leaseOrRead(
  ctx: Ctx,
  tx: Tx,
  request: FastifyRequest,
  scope: string,
  key: string,
): Promise<StoredResponse | { refId: string }> {
  const now = ctx.clock.now()
  const leaseUntil = addSeconds(now, leaseSeconds)
  const requestHash = hashOf(request)
  const row = {
    scope,
    key,
    requestHash,
    refId: newId(now),
    leaseUntil,
    leasedBy: ctx.processId,
    now,
    expiresAt: expiryOf(request, now),
  }
  const found = await insertOrLock(tx, row)
  if (found === null) return { refId: row.refId }
  if (found.status !== null) return sameRequest(found, requestHash)
  if (found.requestHash !== requestHash) throw new Refusal('IDEMPOTENCY_KEY_REUSED')
  if (found.leaseUntil > now) throw new Refusal('REQUEST_IN_PROGRESS', retrySeconds)
  await extendLease(tx, row)
  return { refId: found.refId }
}

/**
 * Inserts the key and returns null, or locks and returns the existing one. Repeats both, because another process may
 * delete an expired key between them.
 */
async function insertOrLock(tx: Tx, row: NewKey): Promise<StoredKey | null> {
  for (;;) {
    if (await insertIdempotencyKey(tx, row)) return null
    const found = await lockIdempotencyKey(tx, row.scope, row.key)
    if (found !== null) return found
  }
}

/** Returns the expiry of the response; null: never. A request in progress counts as successful. */
function expiryOf({ routeOptions }: FastifyRequest, now: Date, status = 200): Date | null {
  return routeOptions.config.keepsResponses === true && status < 400 ? null : addSeconds(now, retainedSeconds)
}

async function store(
  ctx: Ctx,
  db: Queryable,
  request: FastifyRequest,
  scope: string,
  key: string,
  response: StoredResponse,
): Promise<void> {
  const expiresAt = expiryOf(request, ctx.clock.now(), response.status)
  await Promise.all([
    storeResponse(db, scope, key, response, expiresAt),
    expiresAt === null || scope === sandboxScope ? null : deleteOldestKeys(db, scope, maxExpiringKeys),
  ])
}

function sameRequest(found: StoredKey, requestHash: string): StoredResponse {
  if (found.requestHash !== requestHash) throw new Refusal('IDEMPOTENCY_KEY_REUSED')
  if (found.status === null || found.body === null) throw new Refusal('REQUEST_IN_PROGRESS', retrySeconds)
  return { status: found.status, body: found.body }
}

function sendResult(request: FastifyRequest, reply: FastifyReply, result: RouteResult): FastifyReply {
  if ('refusal' in result) return sendRefusal(request, reply, result.refusal)
  return reply.code(result.status).send(result.body)
}

/** Renders the result, or a refusal that may be stored, as the text to store and send. */
async function storable(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<RouteResult>,
): Promise<StoredResponse> {
  try {
    const result = await work()
    if ('refusal' in result) return storedRefusal(request, result.refusal)
    return { status: result.status, body: serialized(reply, result.status, result.body) }
  } catch (error) {
    if (!(error instanceof Refusal) || [400, 401, 429].includes(error.status)) throw error
    return storedRefusal(request, error.code, error.message)
  }
}

/** Serializes a body with the route's schema for the status, which is declared either plainly or by content type. */
function serialized(reply: FastifyReply, status: number, body: object): string {
  const serialize =
    reply.getSerializationFunction(String(status), 'application/json') ?? reply.getSerializationFunction(String(status))
  return serialize ? String(serialize({ ...body })) : JSON.stringify(body)
}

function storedRefusal(
  request: FastifyRequest,
  code: RefusalCode,
  message: string = refusals[code][1],
): StoredResponse {
  request.refusal = code
  const [status] = refusals[code]
  return { status, body: JSON.stringify(errorBody(errorShapeOf(request), status, code, message)) }
}

function send(reply: FastifyReply, { status, body }: StoredResponse): FastifyReply {
  const code = status >= 400 ? codeOfBody(body) : null
  if (code !== null) reply.header(codeHeader, code)
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
