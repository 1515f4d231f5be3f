import { hash, randomBytes } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import { Refusal } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import type { PartnerCaller } from '../platform/http/access.ts'
import {
  type ApiKey,
  expireApiKey,
  findApiKey,
  findApiKeyByHash,
  findApiKeys,
  findValidKeys,
  insertApiKey,
  markApiKeyRevoked,
} from './api-keys-sql.ts'
import { type Actor, lockPartner, recordPartnerChange } from './partners.ts'
import { effective, type Scope } from './rules.ts'

/**
 * API keys for a partner's servers. Owns `partner_api_key`. A key is 256 random bits. It is returned once and stored as
 * a SHA-256 hash. The hash needs no salt, because 256 random bits cannot be guessed.
 *
 * Invariants:
 * - A key has no scope that its creator lacks, even after the creator's demotion.
 * - An expired or revoked key is never valid again.
 * - Removing a member revokes the keys that it created, unless an owner keeps them.
 */
const prefix = 'psk_'
const scheme = /^bearer psk_/i
const maxValidKeys = 50

export type NewApiKey = {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** null: the key does not expire */
  readonly ttlInSeconds: number | null
}

/** A new API key. `key` is returned only here. */
export type CreatedApiKey = ApiKey & { readonly key: string }
export type { ApiKey }

export function isApiKey(authorization: string | undefined): authorization is string {
  return authorization !== undefined && scheme.test(authorization)
}

export async function partnerOfKey(ctx: Pick<Ctx, 'db' | 'clock'>, authorization: string): Promise<PartnerCaller> {
  const found = await findApiKeyByHash(ctx.db, hashOf(authorization.slice('bearer '.length)))
  if (found === null || !isValid(found, ctx.clock.now())) throw new Refusal('INVALID_API_KEY')
  const { partnerId, status, keyId, scopes, readsDetails } = found
  return { partnerId, status, actor: `key:${keyId}`, permissions: effective(scopes, readsDetails) }
}

export function listApiKeys(ctx: Ctx, { partnerId }: Actor): Promise<ApiKey[]> {
  return findApiKeys(ctx.db, partnerId)
}

export async function createApiKey(ctx: Ctx, tx: Tx, actor: PartnerCaller, wanted: NewApiKey): Promise<CreatedApiKey> {
  if (!wanted.scopes.every((scope) => actor.permissions.includes(scope))) throw new Refusal('NOT_PERMITTED')
  return makeKey(ctx, tx, actor, wanted)
}

async function makeKey(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { name, scopes, ttlInSeconds }: NewApiKey,
): Promise<CreatedApiKey> {
  const now = ctx.clock.now()
  const key = `${prefix}${randomBytes(32).toString('base64url')}`
  const made: ApiKey = {
    keyId: newId(now),
    name,
    lastCharacters: key.slice(-4),
    scopes,
    createdBy: actor.actor,
    ttlInSeconds,
    expiresAt: ttlInSeconds === null ? null : addSeconds(now, ttlInSeconds),
    revokedAt: null,
    createdAt: now,
  }
  await recordPartnerChange(ctx, tx, actor, {
    action: 'api-key.made',
    subject: made.keyId,
    detail: { name, scopes },
    permissions: ['keys:write', ...scopes],
  })
  if ((await findValidKeys(tx, actor.partnerId, now)).length >= maxValidKeys) throw new Refusal('API_KEY_LIMIT_REACHED')
  await insertApiKey(tx, actor.partnerId, made, hashOf(key))
  return { ...made, key }
}

/**
 * Creates a key with the name, scopes and lifetime of the old one. The old key expires after the overlap. The scope
 * `users:details` may have lost its effect since, which must not prevent the rotation of a leaked key.
 */
export async function rotateApiKey(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  keyId: string,
  overlapSeconds: number,
): Promise<CreatedApiKey> {
  const now = ctx.clock.now()
  await recordPartnerChange(ctx, tx, actor, { action: 'api-key.rotated', subject: keyId, detail: { overlapSeconds } })
  const old = await findApiKey(tx, actor.partnerId, keyId)
  if (old === null || !isValid(old, now)) throw new Refusal('API_KEY_NOT_FOUND')
  const end = addSeconds(now, overlapSeconds)
  await expireApiKey(tx, actor.partnerId, keyId, old.expiresAt !== null && old.expiresAt < end ? old.expiresAt : end)
  return makeKey(ctx, tx, actor, old)
}

export async function revokeApiKey(ctx: Ctx, tx: Tx, actor: Actor, keyId: string): Promise<void> {
  // A client repeats the request if its response was lost. The first request may still run.
  await lockPartner(tx, actor.partnerId)
  const known = await findApiKey(tx, actor.partnerId, keyId)
  if (known !== null && known.revokedAt !== null) return
  await recordPartnerChange(ctx, tx, actor, { action: 'api-key.revoked', subject: keyId })
  const wasValid = await markApiKeyRevoked(tx, actor.partnerId, keyId, ctx.clock.now())
  if (!wasValid) throw new Refusal('API_KEY_NOT_FOUND')
}

function isValid({ expiresAt, revokedAt }: ApiKey, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt)
}

function hashOf(key: string): string {
  return hash('sha256', key, 'base64url')
}
