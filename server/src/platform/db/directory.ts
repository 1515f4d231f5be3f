import { createHash } from 'node:crypto'
import { uuidOf } from '../../lib/id.ts'
import type { Queryable, Tx } from './db.ts'

/** A name that belongs to one user, in the form in which it is shown. Only an account's address is in lower case. */
export type DirectoryName =
  `${'wallet' | 'account' | 'email' | 'applicant' | 'card' | 'card_token' | 'deposit_id' | 'withdrawal_id'}:${string}`

/** A name with its user and, for some kinds of names, the id of the thing that it names. */
export type Named<Name extends DirectoryName = DirectoryName> = {
  readonly name: Name
  readonly userId: string
  readonly refId: string | null
}

/**
 * Returns the directory's key of a name: the first 16 bytes of its SHA-256, written as a UUID. The hash spreads each
 * kind of name over the whole index. So the lookups for card messages keep all pages of the index in memory
 * (decision 0041).
 */
export function directoryKey(name: DirectoryName): string {
  return uuidOf(createHash('sha256').update(name).digest('hex').slice(0, 32))
}

/** Takes a name for the user. Returns false if it is already taken. Waits while another transaction takes it. */
export async function takeName(
  tx: Tx,
  name: DirectoryName,
  userId: string,
  { refId = null, partnerId = null }: { readonly refId?: string | null; readonly partnerId?: string | null } = {},
): Promise<boolean> {
  const rows = await tx.query(
    `insert into directory (lookup_key, user_id, ref_id, partner_id) values ($1, $2, $3, $4)
     on conflict (lookup_key) do nothing returning lookup_key`,
    [directoryKey(name), userId, refId, partnerId],
  )
  return rows.length === 1
}

export async function findName(db: Queryable, name: DirectoryName): Promise<Omit<Named, 'name'> | null> {
  const [row] = await db.query<Omit<Named, 'name'>>(
    'select user_id as "userId", ref_id as "refId" from directory where lookup_key = $1',
    [directoryKey(name)],
  )
  return row ?? null
}

export async function findUserByName(db: Queryable, name: DirectoryName): Promise<string | null> {
  return (await findName(db, name))?.userId ?? null
}

/** Finds names. One joined text is faster to bind than a large array. */
export async function findNames<Name extends DirectoryName>(
  db: Queryable,
  names: readonly Name[],
): Promise<Named<Name>[]> {
  const byKey = new Map(names.map((name) => [directoryKey(name), name]))
  const rows = await db.query<{ lookupKey: string; userId: string; refId: string | null }>(
    `select lookup_key as "lookupKey", user_id as "userId", ref_id as "refId" from directory
     where lookup_key = any(string_to_array($1, ',')::uuid[])`,
    [[...byKey.keys()].join(',')],
  )
  return rows.flatMap(({ lookupKey, userId, refId }) => {
    const name = byKey.get(lookupKey)
    return name === undefined ? [] : [{ name, userId, refId }]
  })
}

export async function deleteName(tx: Tx, name: DirectoryName): Promise<void> {
  await tx.query('delete from directory where lookup_key = $1', [directoryKey(name)])
}
