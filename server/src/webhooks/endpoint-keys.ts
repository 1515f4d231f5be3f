import { randomBytes } from 'node:crypto'
import type { Ctx } from '../context.ts'
import type { Secrets } from '../lib/secrets.ts'
import { lockPartner } from '../partners/partners.ts'
import { currentPrefix, decrypt, encrypt, isCurrent } from '../platform/crypto/encryption.ts'
import { countOldSeeds, type Endpoint, findEndpoint, scanOldSeeds, updateSeeds } from './endpoints-sql.ts'
import { type SigningKeys, signingKeys } from './signature.ts'

/**
 * The keys of webhook endpoints. Each endpoint has random seeds, newest first, which are stored encrypted under SECRET.
 * A rotation of SECRET re-encrypts them and changes no key.
 */

const seedBytes = 32
const useOf = (endpointId: string) => ({ purpose: 'webhook seed encryption', row: endpointId })

/** Returns a new seed as it is stored. */
export function newSeed(secrets: Secrets, endpointId: string): string {
  return encrypt(secrets, useOf(endpointId), randomBytes(seedBytes).toString('base64url'))
}

/** Returns the stored seeds that sign for the endpoint now, newest first. */
export function signingSeeds({ clock }: Pick<Ctx, 'clock'>, endpoint: Endpoint): readonly [string, ...string[]] {
  const { keySeeds, previousKeyUntil } = endpoint
  const [current, ...older] = keySeeds
  if (current === undefined) throw new Error(`the webhook endpoint ${endpoint.endpointId} has no key`)
  return previousKeyUntil === null || clock.now() >= previousKeyUntil ? [current] : [current, ...older]
}

/** Returns the keys that sign for the endpoint now, newest first. */
export function signingKeysOf(ctx: Ctx, endpoint: Endpoint): [SigningKeys, ...SigningKeys[]] {
  const { webhookKeys } = ctx.caches
  const keysOf = (stored: string) => {
    const seed = () => decrypt(ctx.config.secrets, useOf(endpoint.endpointId), stored)
    const keys = webhookKeys.get(stored) ?? signingKeys(Buffer.from(seed(), 'base64url'))
    webhookKeys.set(stored, keys)
    return keys
  }
  const [current, ...older] = signingSeeds(ctx, endpoint)
  return [keysOf(current), ...older.map(keysOf)]
}

export function countEndpointsUnderOldSecrets({ config, db }: Pick<Ctx, 'config' | 'db'>): Promise<number> {
  return countOldSeeds(db, currentPrefix(config.secrets))
}

const maxEndpointsPerBatch = 200

/** Encrypts all seeds under the first secret, one endpoint at a time, under its partner's lock. */
export async function reencryptSeeds(
  { config, db }: Pick<Ctx, 'config' | 'db'>,
  onBatch: (endpoints: number) => void,
): Promise<void> {
  const { secrets } = config
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await scanOldSeeds(db, currentPrefix(secrets), after, maxEndpointsPerBatch)
    for (const { partnerId, endpointId } of page) {
      await db.transaction(async (tx) => {
        await lockPartner(tx, partnerId)
        const endpoint = await findEndpoint(tx, partnerId, endpointId)
        if (endpoint === null) return
        const use = useOf(endpointId)
        const seeds = endpoint.keySeeds.map((stored) =>
          isCurrent(secrets, stored) ? stored : encrypt(secrets, use, decrypt(secrets, use, stored)),
        )
        await updateSeeds(tx, partnerId, endpointId, seeds)
      })
    }
    const last = page.at(-1)
    if (last === undefined) return
    onBatch(page.length)
    after = last.endpointId
  }
}
