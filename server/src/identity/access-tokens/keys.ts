import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { decrypt, encrypt, isCurrent } from '../../platform/crypto/encryption.ts'
import type { Tx } from '../../platform/db/db.ts'
import { inOrder, nextKey, publicationSeconds, signingKey, trustEnds } from './rules.ts'
import { type AccessTokenKey, insertKey, lockKeys, markRetired, selectKeys, updateEncryptedKey } from './sql.ts'

/**
 * The keys that sign access tokens. Owns `signing_key`: keys are stored with the data, so that tokens survive a
 * restart. States: published → signing → verifying → no longer trusted (see rules.ts). Retiring a key ends trust in it
 * immediately. Invariants: at any time one key signs; every process knows the new key of a rotation before that key
 * signs. A key that replaces a retired one signs immediately, so verifiers read it when they first meet its kid.
 */
export const algorithm = 'ES256'

export { lockKeys }

export type KeyHolder = Pick<Ctx, 'config' | 'db' | 'clock' | 'caches'>

export type StoredKeys = {
  readonly keys: readonly AccessTokenKey[]
  /** The time at which trust in a key ends, in Unix milliseconds, by kid. */
  readonly ends: ReadonlyMap<string, number>
}

/** The maximum time until this process notices a key that another process added or retired. */
const maxAgeMilliseconds = 1000

function storedKeys({ caches, db }: KeyHolder, maxAge = maxAgeMilliseconds): Promise<StoredKeys> {
  return caches.signingKeys.read(maxAge, async () => {
    const keys = inOrder(await selectKeys(db))
    return { keys, ends: trustEnds(keys) }
  })
}

/**
 * Reads the keys, or creates the first one in an empty database. Runs at startup, so that a wrong SECRET fails there.
 */
export async function prepareKeys(ctx: KeyHolder): Promise<void> {
  await currentKey(ctx)
}

export async function currentKey(ctx: KeyHolder): Promise<{ kid: string; privateKey: KeyObject }> {
  const now = ctx.clock.now()
  const { keys } = await storedKeys(ctx)
  let current = signingKey(keys, now)
  if (current === null) {
    current = await changeKeys(ctx, (tx, keys) => signingKey(keys, now) ?? addKey(ctx, tx, now))
  }
  const { kid, encryptedPrivateJwk } = current
  const privateKey = imported(ctx, `private ${kid}`, () =>
    createPrivateKey({ key: JSON.parse(decrypt(ctx.config.secrets, useOf(kid), encryptedPrivateJwk)), format: 'jwk' }),
  )
  return { kid, privateKey }
}

/** Returns whether a token signed by this key is trusted at `now`. Called for every request with a token. */
export async function isTrusted(ctx: KeyHolder, kid: string, now: Date): Promise<boolean> {
  const { ends } = await storedKeys(ctx)
  return now.getTime() < (ends.get(kid) ?? 0)
}

async function trustedKeys(ctx: KeyHolder, maxAge = maxAgeMilliseconds): Promise<AccessTokenKey[]> {
  const { keys, ends } = await storedKeys(ctx, maxAge)
  const now = ctx.clock.now().getTime()
  return keys.filter(({ kid }) => now < (ends.get(kid) ?? 0))
}

/** Returns the public key with this kid, or null when its tokens are not trusted. */
export async function verificationKey(ctx: KeyHolder, kid: string): Promise<KeyObject | null> {
  const find = async (maxAge?: number) => (await trustedKeys(ctx, maxAge)).find((key) => key.kid === kid)
  // A key that replaces a retired one signs immediately, so this process may not have read it yet.
  const key = (await find()) ?? (await find(0))
  return key ? imported(ctx, `public ${kid}`, () => createPublicKey({ key: key.publicJwk, format: 'jwk' })) : null
}

/** Returns the JSON Web Key Set of all trusted keys (RFC 7517). */
export async function publicKeySet(ctx: KeyHolder): Promise<{ keys: JWK[] }> {
  await prepareKeys(ctx)
  const trusted = await trustedKeys(ctx)
  return { keys: trusted.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: algorithm, use: 'sig' })) }
}

export function listKeys(ctx: KeyHolder): Promise<AccessTokenKey[]> {
  return selectKeys(ctx.db).then(inOrder)
}

/**
 * Publishes a new key, which signs after `publicationSeconds`. If a published key is still waiting, returns that one.
 */
export async function rotateKeys(ctx: KeyHolder): Promise<{ readonly key: AccessTokenKey; readonly isNew: boolean }> {
  const now = ctx.clock.now()
  return changeKeys(ctx, async (tx, keys) => {
    if (signingKey(keys, now) === null) return { key: await addKey(ctx, tx, now), isNew: true }
    const waiting = nextKey(keys, now)
    if (waiting !== null) return { key: waiting, isNew: false }
    return { key: await addKey(ctx, tx, addSeconds(now, publicationSeconds)), isNew: true }
  })
}

/**
 * Retires a leaked key: its tokens are rejected from now on. If it was the signing key, a new key signs instead.
 * Returns false when no such key can be retired.
 */
export async function retireKey(ctx: KeyHolder, kid: string): Promise<boolean> {
  const now = ctx.clock.now()
  return changeKeys(ctx, async (tx) => {
    const isRetired = await markRetired(tx, kid, now)
    if (isRetired && signingKey(inOrder(await selectKeys(tx)), now) === null) await addKey(ctx, tx, now)
    return isRetired
  })
}

const useOf = (kid: string) => ({ purpose: 'signing key encryption', row: kid })

/** Returns the number of private keys that are stored under an older secret. */
export async function countKeysUnderOldSecrets({ config, db }: Pick<Ctx, 'config' | 'db'>): Promise<number> {
  const keys = await selectKeys(db)
  return keys.filter(({ encryptedPrivateJwk }) => !isCurrent(config.secrets, encryptedPrivateJwk)).length
}

/** Encrypts all private keys under the first secret. Retired keys are included, because their rows stay. */
export async function reencryptKeys(ctx: KeyHolder): Promise<void> {
  const { secrets } = ctx.config
  await changeKeys(ctx, async (tx) => {
    for (const { kid, encryptedPrivateJwk } of await selectKeys(tx)) {
      if (isCurrent(secrets, encryptedPrivateJwk)) continue
      await updateEncryptedKey(tx, kid, encrypt(secrets, useOf(kid), decrypt(secrets, useOf(kid), encryptedPrivateJwk)))
    }
  })
}

/** Changes the keys under a lock: two processes that start on an empty database agree on one key. */
async function changeKeys<T>(ctx: KeyHolder, change: (tx: Tx, keys: AccessTokenKey[]) => T | Promise<T>): Promise<T> {
  const changed = await ctx.db.transaction(async (tx) => {
    await lockKeys(tx)
    return change(tx, inOrder(await selectKeys(tx)))
  })
  ctx.caches.signingKeys.clear()
  return changed
}

async function addKey(ctx: KeyHolder, tx: Tx, activeFrom: Date): Promise<AccessTokenKey> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const encryptedPrivateJwk = encrypt(ctx.config.secrets, useOf(kid), JSON.stringify(await exportJWK(pair.privateKey)))
  const key = { kid, publicJwk, encryptedPrivateJwk, activeFrom, retiredAt: null }
  await insertKey(tx, key, algorithm, ctx.clock.now())
  return key
}

function imported(ctx: KeyHolder, name: string, make: () => KeyObject): KeyObject {
  const { importedKeys } = ctx.caches
  const key = importedKeys.get(name) ?? make()
  importedKeys.set(name, key)
  return key
}
