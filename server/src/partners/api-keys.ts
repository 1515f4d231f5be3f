import { hash, randomBytes } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import { Refusal } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import type { PartnerCaller } from '../platform/http/access.ts'
import { type Actor, recordChange } from './partners.ts'
import type { Scope } from './rules.ts'
import { type ApiKey, endApiKey, findApiKey, findApiKeyByHash, findApiKeys, insertApiKey, revokeApiKey } from './sql.ts'

/**
 * Keys for a partner's servers. Owns `partner_api_key`.
 * A key is 256 random bits, shown once and kept as its hash, which nobody can guess back. Invariants: it may do what its
 * scopes say and no more than who made it; an expired or revoked key never counts again.
 */
const prefix = 'psk_'
const scheme = /^bearer psk_/i

export type NewApiKey = {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
}

/** `key` is said this once. */
export type MadeApiKey = ApiKey & { readonly key: string }
export type { ApiKey }

export function isApiKey(authorization: string | undefined): authorization is string {
  return authorization !== undefined && scheme.test(authorization)
}

export async function partnerOfKey(ctx: Pick<Ctx, 'db' | 'clock'>, authorization: string): Promise<PartnerCaller> {
  const found = await findApiKeyByHash(ctx.db, hashOf(authorization.slice('bearer '.length)))
  if (found === null || !isValid(found, ctx.clock.now())) throw new Refusal('INVALID_API_KEY')
  return { partnerId: found.partnerId, actor: `key:${found.keyId}`, permissions: found.scopes }
}

export function listApiKeys(ctx: Ctx, { partnerId }: Actor): Promise<ApiKey[]> {
  return findApiKeys(ctx.db, partnerId)
}

export async function makeApiKey(
  ctx: Ctx,
  tx: Tx,
  actor: PartnerCaller,
  { name, scopes, expiresAt }: NewApiKey,
): Promise<MadeApiKey> {
  if (!scopes.every((scope) => actor.permissions.includes(scope))) throw new Refusal('NOT_PERMITTED')
  const now = ctx.clock.now()
  const key = `${prefix}${randomBytes(32).toString('base64url')}`
  const made: ApiKey = {
    keyId: newId(now),
    name,
    lastCharacters: key.slice(-4),
    scopes,
    expiresAt,
    revokedAt: null,
    createdAt: now,
  }
  await recordChange(ctx, tx, actor, { action: 'api-key.made', subject: made.keyId, detail: { name, scopes } })
  await insertApiKey(tx, actor.partnerId, made, hashOf(key))
  return { ...made, key }
}

/** A new key like the old one, which stays valid for so long: time to change it everywhere. */
export async function rotateApiKey(
  ctx: Ctx,
  tx: Tx,
  actor: PartnerCaller,
  keyId: string,
  overlapSeconds: number,
): Promise<MadeApiKey> {
  const now = ctx.clock.now()
  await recordChange(ctx, tx, actor, { action: 'api-key.rotated', subject: keyId, detail: { overlapSeconds } })
  const old = await findApiKey(tx, actor.partnerId, keyId)
  if (old === null || !isValid(old, now)) throw new Refusal('API_KEY_NOT_FOUND')
  const end = addSeconds(now, overlapSeconds)
  await endApiKey(tx, actor.partnerId, keyId, old.expiresAt !== null && old.expiresAt < end ? old.expiresAt : end)
  return makeApiKey(ctx, tx, actor, old)
}

export async function revoke(ctx: Ctx, tx: Tx, actor: Actor, keyId: string): Promise<void> {
  await recordChange(ctx, tx, actor, { action: 'api-key.revoked', subject: keyId })
  const wasValid = await revokeApiKey(tx, actor.partnerId, keyId, ctx.clock.now())
  if (!wasValid) throw new Refusal('API_KEY_NOT_FOUND')
}

function isValid({ expiresAt, revokedAt }: ApiKey, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt)
}

function hashOf(key: string): string {
  return hash('sha256', key, 'base64url')
}
