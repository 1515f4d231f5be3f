import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { type Awaitable, whenReady } from '../../platform/cache/awaitable.ts'
import { onePer, snapshot } from '../../platform/cache/snapshot.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { decryptJwk, encryptJwk } from './encryption.ts'
import { inOrder, nextKey, publicationSeconds, signingKey, trustEnds } from './rules.ts'
import { insertKey, lockKeys, markRetired, type SigningKey, selectKeys } from './sql.ts'

/**
 * The keys that sign access tokens. Owns `signing_key`: they are kept with the data, so tokens outlive a restart.
 * States: published → signing → verifying → forgotten (see rules.ts), and retired, which ends trust at once.
 * Invariant: at any time one key signs, and every process knows it before it does.
 */
export const algorithm = 'ES256'

export type KeyHolder = Pick<Ctx, 'config' | 'db' | 'clock'>

/** How long a key that another process added or retired may take to count in this one. */
const oldestMilliseconds = 1000

const storedKeys = onePer((db: Db) =>
  snapshot(async () => {
    const keys = inOrder(await selectKeys(db))
    return { keys, ends: trustEnds(keys) }
  }),
)
/** A kid is the hash of its key, so what was once imported under it stays right. */
const importedKeys = onePer((_db: Db) => new Map<string, KeyObject>())

/** Reads the keys, and makes the first one in an empty database: at start, so that a wrong secret shows there. */
export async function prepareKeys(ctx: KeyHolder): Promise<void> {
  await currentKey(ctx)
}

export async function currentKey(ctx: KeyHolder): Promise<{ kid: string; privateKey: KeyObject }> {
  const now = ctx.clock.now()
  const { keys } = await storedKeys(ctx.db).read(oldestMilliseconds)
  let current = signingKey(keys, now)
  if (current === null) {
    current = await changeKeys(ctx, (tx, keys) => signingKey(keys, now) ?? addKey(ctx, tx, now))
  }
  const { kid, encryptedPrivateJwk } = current
  const privateKey = imported(ctx, `private ${kid}`, () =>
    createPrivateKey({ key: decryptJwk(ctx.config.secret, kid, encryptedPrivateJwk), format: 'jwk' }),
  )
  return { kid, privateKey }
}

/** On the way of every request: a look into a map. */
export function isTrusted(ctx: KeyHolder, kid: string, now: Date): Awaitable<boolean> {
  const stored = storedKeys(ctx.db).read(oldestMilliseconds)
  return whenReady(stored, ({ ends }) => now.getTime() < (ends.get(kid) ?? 0))
}

async function trustedKeys(ctx: KeyHolder, oldest: number): Promise<SigningKey[]> {
  const { keys, ends } = await storedKeys(ctx.db).read(oldest)
  const now = ctx.clock.now().getTime()
  return keys.filter(({ kid }) => now < (ends.get(kid) ?? 0))
}

/** The public key of that name, or null when tokens of it are not to be trusted. */
export async function verificationKey(ctx: KeyHolder, kid: string): Promise<KeyObject | null> {
  const find = async (oldest: number) => (await trustedKeys(ctx, oldest)).find((key) => key.kid === kid)
  // One made a moment ago, elsewhere, signs at once when it replaces a retired one.
  const key = (await find(oldestMilliseconds)) ?? (await find(0))
  return key ? imported(ctx, `public ${kid}`, () => createPublicKey({ key: key.publicJwk, format: 'jwk' })) : null
}

/** What `/.well-known/jwks.json` shows (RFC 7517). */
export async function publicKeySet(ctx: KeyHolder): Promise<{ keys: JWK[] }> {
  await prepareKeys(ctx)
  const trusted = await trustedKeys(ctx, oldestMilliseconds)
  return { keys: trusted.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: algorithm, use: 'sig' })) }
}

export function listKeys(ctx: KeyHolder): Promise<SigningKey[]> {
  return selectKeys(ctx.db).then(inOrder)
}

/** Publishes a new key, which signs after `publicationSeconds`. While one is waiting for its turn: that one. */
export async function rotateKeys(ctx: KeyHolder): Promise<SigningKey> {
  const now = ctx.clock.now()
  return changeKeys(ctx, async (tx, keys) => {
    if (signingKey(keys, now) === null) return addKey(ctx, tx, now)
    return nextKey(keys, now) ?? addKey(ctx, tx, addSeconds(now, publicationSeconds))
  })
}

/**
 * For a key that got into wrong hands: its tokens are refused from now on, and where it was the one to sign, a new one
 * does. Returns false when there is no such key to retire.
 */
export async function retireKey(ctx: KeyHolder, kid: string): Promise<boolean> {
  const now = ctx.clock.now()
  return changeKeys(ctx, async (tx) => {
    const wasThere = await markRetired(tx, kid, now)
    if (wasThere && signingKey(inOrder(await selectKeys(tx)), now) === null) await addKey(ctx, tx, now)
    return wasThere
  })
}

/** One change at a time, over all processes: two that start on an empty database agree on one key. */
async function changeKeys<T>(ctx: KeyHolder, change: (tx: Tx, keys: SigningKey[]) => T | Promise<T>): Promise<T> {
  const changed = await ctx.db.transaction(async (tx) => {
    await lockKeys(tx)
    return change(tx, inOrder(await selectKeys(tx)))
  })
  storedKeys(ctx.db).forget()
  return changed
}

async function addKey(ctx: KeyHolder, tx: Tx, activeFrom: Date): Promise<SigningKey> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const encryptedPrivateJwk = encryptJwk(ctx.config.secret, kid, await exportJWK(pair.privateKey))
  const key = { kid, publicJwk, encryptedPrivateJwk, activeFrom, retiredAt: null }
  await insertKey(tx, key, algorithm, ctx.clock.now())
  return key
}

function imported(ctx: KeyHolder, name: string, make: () => KeyObject): KeyObject {
  const keys = importedKeys(ctx.db)
  const key = keys.get(name) ?? make()
  keys.set(name, key)
  return key
}
