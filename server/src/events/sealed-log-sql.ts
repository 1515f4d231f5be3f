import type { Queryable, Tx } from '../platform/db/db.ts'

export type Head = {
  readonly seq: bigint
  readonly hash: Buffer
  readonly mac: Buffer
  readonly secretId: string
}

/** Locks the head of a log. Creates a missing one without a MAC. */
export async function lockHead(tx: Tx, log: string): Promise<Head> {
  const [head] = await tx.query<Head>(
    `insert into sealed_log (log, seq, hash, mac, secret_id) values ($1, 0, '', '', '')
     on conflict (log) do update set seq = sealed_log.seq returning seq, hash, mac, secret_id as "secretId"`,
    [log],
  )
  if (!head) throw new Error(`the log ${log} has no head`)
  return head
}

/** Stores the first head of a log that has no record yet. */
export async function insertHead(tx: Tx, log: string, { seq, hash, mac, secretId }: Head): Promise<void> {
  await tx.query('insert into sealed_log (log, seq, hash, mac, secret_id) values ($1, $2, $3, $4, $5)', [
    log,
    seq,
    hash,
    mac,
    secretId,
  ])
}

export async function updateHead(tx: Tx, log: string, { seq, hash, mac, secretId }: Head): Promise<void> {
  await tx.query('update sealed_log set seq = $2, hash = $3, mac = $4, secret_id = $5 where log = $1', [
    log,
    seq,
    hash,
    mac,
    secretId,
  ])
}

export async function findHead(db: Queryable, log: string): Promise<Head | null> {
  const [head] = await db.query<Head>('select seq, hash, mac, secret_id as "secretId" from sealed_log where log = $1', [
    log,
  ])
  return head ?? null
}

/** Returns the ends of all logs that have records. */
export function findEnds(db: Queryable): Promise<{ log: string; seq: bigint; hash: Buffer }[]> {
  return db.query('select log, seq, hash from sealed_log where seq > 0 order by log')
}

export async function findLogNames(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ log: string }>('select log from sealed_log order by log')
  return rows.map(({ log }) => log)
}

export async function countOldHeads(db: Queryable, secretId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*)::integer as count from sealed_log where secret_id <> $1',
    [secretId],
  )
  return row?.count ?? 0
}
