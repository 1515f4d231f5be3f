import { createHash } from 'node:crypto'
import type pg from 'pg'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Config } from '../server/src/config/config.ts'
import { issueToken } from '../server/src/identity/access-tokens/access-tokens.ts'
import { addSeconds, systemClock } from '../server/src/lib/clock.ts'
import { newId } from '../server/src/lib/id.ts'
import { createCaches } from '../server/src/platform/cache/caches.ts'
import type { Db } from '../server/src/platform/db/db.ts'
import { directoryKey } from '../server/src/platform/db/directory.ts'

export type Person = { readonly userId: string; readonly wallet: PrivateKeyAccount }

const since = new Date('2025-01-01T00:00:00.000Z')

/** Returns the same users in every run: each is derived from its number. */
export function makePeople(count: number): Person[] {
  return Array.from({ length: count }, (_, number) => ({
    userId: numberedId('user', number),
    wallet: privateKeyToAccount(`0x${createHash('sha256').update(`bench wallet ${number}`).digest('hex')}`),
  }))
}

export function numberedId(kind: string, number: number): string {
  const hex = createHash('sha256').update(`${kind} ${number}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Inserts onboarded users, each with an active account and some money in each token. */
export async function insertPeople(client: pg.Client, people: readonly Person[], config: Config): Promise<void> {
  const ids = people.map(({ userId }) => userId)
  const addresses = people.map(({ wallet }) => wallet.address)
  await client.query(
    `insert into app_user (user_id, status, country, kyc_status, created_at, updated_at)
     select user_id, 'active', 'DE', 'approved', $2, $2 from unnest($1::uuid[]) user_id`,
    [ids, since],
  )
  await client.query(
    `insert into owner (user_id, address, access_id, created_at)
     select user_id, address, user_id, $3 from unnest($1::uuid[], $2::text[]) as given (user_id, address)`,
    [ids, addresses, since],
  )
  await client.query(
    `insert into directory (lookup_key, user_id, ref_id)
     select key, user_id, user_id from unnest($1::uuid[], $2::uuid[]) as given (user_id, key)`,
    [ids, addresses.map((address) => directoryKey(`wallet:${address}`))],
  )
  await client.query(
    `insert into account (user_id, account_id, address, currency, status, created_at, updated_at)
     select user_id, user_id, address, 'EUR', 'active', $3, $3
     from unnest($1::uuid[], $2::text[]) as given (user_id, address)`,
    [ids, addresses, since],
  )
  await client.query(
    `insert into ledger_balance (user_id, token, available, chain)
     select user_id, token, 1234567 * 10 ^ (decimals - 2), -1234567 * 10 ^ (decimals - 2)
     from unnest($1::uuid[]) user_id cross join unnest($2::text[], $3::numeric[]) as given (token, decimals)`,
    [ids, config.tokens.map(({ address }) => address), config.tokens.map(({ decimals }) => decimals)],
  )
}

/** Returns the ids in an access token of the user. `insertPeople` takes the user id as the access id. */
export function sessionOf(userId: string) {
  return { userId, accessId: userId, sessionId: newId(systemClock.now()) }
}

/** Issues access tokens as sign-in would. */
export async function issueTokens(db: Db, config: Config, people: readonly Person[]): Promise<string[]> {
  const bearer = { chainId: '1', signedBy: 'key' as const, expiresAt: addSeconds(systemClock.now(), 24 * 3600) }
  const caches = createCaches()
  const tokens: string[] = []
  for (const { userId, wallet } of people) {
    tokens.push(
      await issueToken(
        { db, config, clock: systemClock, caches },
        { ...bearer, ...sessionOf(userId), signerAddress: wallet.address },
      ),
    )
  }
  return tokens
}
