import type { Db, Queryable } from '../../platform/db/db.ts'
import type { ChainedMovement, ChainedPosting, Seal } from './hash-chain.ts'
import type { ItemSum, ItemText } from './invariants.ts'

// Items and their amounts

/** Returns the amounts that each card transaction, deposit and withdrawal states for the ledger accounts of I2. */
export async function findOpenItems(db: Queryable, userId: string): Promise<ItemSum[]> {
  return db.query<ItemSum>(
    `select t.card_transaction_id as "refId", p.token, side.account, side.amount
       from card_transaction t
         join card_transaction_part p on p.user_id = $1 and p.card_transaction_id = t.card_transaction_id
         cross join lateral (values
           ('held', p.held), ('network', case when t.is_credit then -p.settled else p.settled end)) as side (account, amount)
       where t.user_id = $1
     union all
     select deposit_id, token, 'deposit_processing', amount from deposit where user_id = $1 and status = 'pending'
     union all
     select deposit_id, token, 'frozen', amount from deposit
       where user_id = $1 and chain_state = 'final' and screening = 'rejected'
         and return_state is distinct from 'returned'
     union all
     select withdrawal_id, token, 'withdrawal_processing', amount from withdrawal
       where user_id = $1 and status in ('pending', 'processing') and deposit_id is null`,
    [userId],
  )
}

export async function findItems(db: Queryable, userId: string): Promise<ItemText[]> {
  return db.query<ItemText>(
    `select created_at as "createdAt", item_id as "itemId", item from statement_item
     where user_id = $1 order by created_at, item_id`,
    [userId],
  )
}

// Movements, in order

export async function findMovements(
  db: Queryable,
  userId: string,
  after: bigint,
  limit: number,
): Promise<Omit<ChainedMovement, 'postings'>[]> {
  return db.query<Omit<ChainedMovement, 'postings'>>(
    `select seq, kind, ref_id as "refId", (extract(epoch from created_at) * 1000000)::bigint as "createdAtMicros"
     from movement where user_id = $1 and seq > $2 order by seq limit $3`,
    [userId, after, limit],
  )
}

export type PostingRow = ChainedPosting & { readonly seq: bigint }

/** Returns the postings after one movement, up to and including another. A null `through` sets no upper bound. */
export async function findPostings(
  db: Queryable,
  userId: string,
  after: bigint,
  through: bigint | null,
): Promise<PostingRow[]> {
  return db.query<PostingRow>(
    `select movement_seq as seq, line, token, from_account as "from", to_account as "to", amount
     from posting where user_id = $1 and movement_seq > $2 and ($3::bigint is null or movement_seq <= $3)
     order by movement_seq, line`,
    [userId, after, through],
  )
}

// Seals

const sealColumns = `first_seq as "firstSeq", last_seq as "lastSeq", hashes, mac, sealed_at as "sealedAt"`

export async function findSeals(db: Queryable, userId: string): Promise<Seal[]> {
  return db.query<Seal>(`select ${sealColumns} from movement_seal where user_id = $1 order by first_seq`, [userId])
}

export async function findLastSeal(db: Queryable, userId: string): Promise<Seal | null> {
  const [row] = await db.query<Seal>(
    `select ${sealColumns} from movement_seal where user_id = $1 order by first_seq desc limit 1`,
    [userId],
  )
  return row ?? null
}

/** Returns the last two seals that begin at or before a movement: the one that may cover it, and the one before. */
export async function findSealsCovering(db: Queryable, userId: string, seq: bigint): Promise<Seal[]> {
  return db.query<Seal>(
    `select ${sealColumns} from movement_seal where user_id = $1 and first_seq <= $2 order by first_seq desc limit 2`,
    [userId, seq],
  )
}

/** Returns false when another process has already written a seal from the same movement. */
export async function insertSeal(db: Queryable, userId: string, seal: Seal, secretId: string): Promise<boolean> {
  const rows = await db.query(
    `insert into movement_seal (user_id, first_seq, last_seq, hashes, mac, sealed_at, secret_id)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (user_id, first_seq) do nothing returning first_seq`,
    [userId, seal.firstSeq, seal.lastSeq, seal.hashes, seal.mac, seal.sealedAt, secretId],
  )
  return rows.length > 0
}

// Scans over all users

export type SealKey = { readonly userId: string; readonly isDue: boolean }

/**
 * Returns an SQL expression for the number of a user's last sealed movement. The user id is a column of the table
 * `alias`: a cluster cannot run the expression with an id from elsewhere, such as a parameter.
 */
const sealedUntil = (alias: string) => `coalesce(
  (select s.last_seq from movement_seal s where s.user_id = ${alias}.user_id order by s.first_seq desc limit 1), 0)`

/** Returns a page of all accounts by user id, and whether each has unsealed movements. */
export async function scanDueSeals(db: Db, afterUserId: string, limit: number): Promise<SealKey[]> {
  return db.query<SealKey>(
    `-- scanDue
     select a.user_id as "userId",
       coalesce((select max(m.seq) from movement m where m.user_id = a.user_id), 0) > ${sealedUntil('a')} as "isDue"
     from account a where a.user_id > $1 order by a.user_id limit $2`,
    [afterUserId, limit],
  )
}

/** Returns a page of the users with movements since the given time who have unsealed movements. */
export async function scanDueSealsSince(db: Db, afterUserId: string, limit: number, since: Date): Promise<SealKey[]> {
  // Materialized, so that the planner finds recent movements by time and does not scan all users in order.
  return db.query<SealKey>(
    `-- scanDue
     with due as materialized (
       select distinct m.user_id from movement m
       where m.user_id > $1 and m.created_at >= $3 and m.seq > ${sealedUntil('m')}
     )
     select user_id as "userId", true as "isDue" from due order by user_id limit $2`,
    [afterUserId, limit, since],
  )
}

/** Returns a page of the users that appear in any table of the books, so that a missing row hides no user. */
export async function scanDueUserIds(db: Db, afterUserId: string, limit: number): Promise<string[]> {
  const tables = ['app_user', 'ledger_balance', 'movement', 'movement_seal', 'statement_item']
  const pages = tables.map(
    (table) => `(select distinct user_id from ${table} where user_id > $1 order by user_id limit $2)`,
  )
  const rows = await db.query<{ userId: string }>(
    `-- scanDue
     select user_id as "userId" from (${pages.join(' union ')}) as known order by user_id limit $2`,
    [afterUserId, limit],
  )
  return rows.map(({ userId }) => userId)
}

/** Returns the time of the newest movement or check of the books, which shows the age of a backup. Asks every shard. */
export async function scanDueNewestRecord(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ newest: Date | null }>(
    `-- scanDueNewestRecord
     select greatest((select max(created_at) from movement), (select max(ended_at) from reconcile_run)) as newest`,
  )
  return row?.newest ?? null
}

export type Holder = { readonly userId: string; readonly address: string }

/** Returns a page, by user, of the deposit addresses that may hold a token: not swept, or swept after `since`. */
export async function scanDueHolders(
  db: Db,
  token: string,
  { after, since, limit }: { after: string; since: Date; limit: number },
): Promise<Holder[]> {
  return db.query<Holder>(
    `-- scanDue
     select a.user_id as "userId", a.address from account a
     where a.user_id > $2 and exists (
       select 1 from deposit d where d.user_id = a.user_id and d.token = $1 and (d.swept_at is null or d.swept_at > $3))
     order by a.user_id limit $4`,
    [token, after, since, limit],
  )
}

/** Returns the last final block that the watcher has ingested. The books can contain every deposit up to it. */
export async function findFinalBlock(db: Db, chainId: number): Promise<number> {
  const [row] = await db.query<{ final: bigint }>(
    'select final_block as final from watched_chain where chain_id = $1',
    [chainId],
  )
  return Number(row?.final ?? 0)
}

/**
 * Returns the outgoing amount that may be missing from totals that were read at `since`. It consists of withdrawals
 * requested since then, and of returns that are open or have ended since then.
 */
export async function scanDueOutgoing(db: Db, token: string, since: Date): Promise<bigint> {
  const [row] = await db.query<{ amount: bigint | null }>(
    `-- scanDue
     select sum(amount) as amount from (
       select amount from withdrawal where token = $1 and created_at >= $2 and deposit_id is null
       union all
       select amount from deposit where token = $1
         and (return_state = 'signed' or (return_state = 'returned' and updated_at >= $2))) as outgoing`,
    [token, since],
  )
  return row?.amount ?? 0n
}

// Tokens and currencies in use

export function scanDueTokens(db: Db): Promise<string[]> {
  return eachNext(
    db,
    `-- scanDue
     select min(token) as next from ledger_balance where token > $1`,
  )
}

export function scanDueAccountCurrencies(db: Db): Promise<string[]> {
  return eachNext(
    db,
    `-- scanDue
     select min(currency) as next from account where currency > $1`,
  )
}

/** Returns all distinct values in order. Each costs one index step from the previous one (a loose index scan). */
async function eachNext(db: Db, text: string): Promise<string[]> {
  const next = async (after: string) => (await db.query<{ next: string | null }>(text, [after]))[0]?.next ?? null
  const found: string[] = []
  for (let value = await next(''); value !== null; value = await next(value)) found.push(value)
  return found
}

/** The primary key of a seal. */
export type SealPosition = { readonly userId: string; readonly firstSeq: bigint }

/** Counts the seals under other secrets than the given one. */
export async function scanDueOldSealCount(db: Queryable, secretId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    '-- scanDue\nselect count(*)::integer as count from movement_seal where secret_id <> $1',
    [secretId],
  )
  return row?.count ?? 0
}

/** Returns the next seals under other secrets. `hashes` contains only the last hash, because a MAC covers no other. */
export function scanDueOldSeals(
  db: Queryable,
  secretId: string,
  after: SealPosition,
  limit: number,
): Promise<(Seal & SealPosition)[]> {
  return db.query(
    `-- scanDue
     select user_id as "userId", first_seq as "firstSeq", last_seq as "lastSeq",
            substring(hashes from length(hashes) - 31) as hashes, mac, sealed_at as "sealedAt"
     from movement_seal where secret_id <> $1 and (user_id, first_seq) > ($2, $3)
     order by user_id, first_seq limit $4`,
    [secretId, after.userId, after.firstSeq, limit],
  )
}

/** Replaces the MACs of seals. */
export async function updateSealMacs(
  db: Queryable,
  secretId: string,
  seals: readonly (SealPosition & { readonly mac: Buffer })[],
): Promise<void> {
  await db.query(
    `update movement_seal s set mac = given.mac, secret_id = $4
     from unnest($1::uuid[], $2::bigint[], $3::bytea[]) as given (user_id, first_seq, mac)
     where s.user_id = any($1::uuid[]) and s.user_id = given.user_id and s.first_seq = given.first_seq`,
    [seals.map(({ userId }) => userId), seals.map(({ firstSeq }) => firstSeq), seals.map(({ mac }) => mac), secretId],
  )
}
