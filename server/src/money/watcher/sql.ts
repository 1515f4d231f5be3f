import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { KnownBlock } from './rules.ts'

// The cursor

export type ChainCursor = {
  readonly chainId: number
  /** the last block that was read, and the last of those that are final */
  readonly seen: number
  readonly final: number
}

type CursorRow = { seen: bigint; final: bigint; watcher: string | null; leasedUntil: Date | null }

export async function findCursor(db: Queryable, chainId: number) {
  const [row] = await db.query<CursorRow>(
    `select seen_block as seen, final_block as final, watcher, leased_until as "leasedUntil"
     from watched_chain where chain_id = $1`,
    [chainId],
  )
  return row ? { ...row, chainId, seen: Number(row.seen), final: Number(row.final) } : null
}

export async function insertCursor(db: Queryable, { chainId, seen, final }: ChainCursor, now: Date): Promise<void> {
  await db.query(
    `insert into watched_chain (chain_id, seen_block, final_block, updated_at) values ($1, $2, $3, $4)
     on conflict (chain_id) do nothing`,
    [chainId, seen, final, now],
  )
}

/** Returns false while another process holds the lease. */
export async function leaseChain(
  db: Queryable,
  chainId: number,
  { watcher, now, until }: { watcher: string; now: Date; until: Date },
): Promise<boolean> {
  const rows = await db.query(
    `update watched_chain set watcher = $2, leased_until = $4
     where chain_id = $1 and (watcher is null or watcher = $2 or leased_until < $3) returning chain_id`,
    [chainId, watcher, now, until],
  )
  return rows.length > 0
}

export async function releaseChain(db: Queryable, chainId: number, watcher: string): Promise<void> {
  await db.query('update watched_chain set watcher = null where chain_id = $1 and watcher = $2', [chainId, watcher])
}

/** Ends the leases of a killed process. */
export async function releaseChains(db: Queryable, deadProcess: string): Promise<void> {
  await db.query('update watched_chain set watcher = null where watcher = $1', [deadProcess])
}

/** Moves the cursor. Returns false after another process has moved it or taken the lease: the caller must roll back. */
export async function moveCursor(
  tx: Tx,
  from: ChainCursor,
  to: Pick<ChainCursor, 'seen' | 'final'>,
  { watcher, now }: { watcher: string; now: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `update watched_chain set seen_block = $4, final_block = $5, updated_at = $7
     where chain_id = $1 and seen_block = $2 and final_block = $3 and watcher = $6 returning chain_id`,
    [from.chainId, from.seen, from.final, to.seen, to.final, watcher, now],
  )
  return rows.length > 0
}

/** Locks the cursor until the transaction ends, and returns the last final block. */
export async function lockCursor(tx: Tx, chainId: number): Promise<number> {
  const [row] = await tx.query<{ final: bigint }>(
    'select final_block as final from watched_chain where chain_id = $1 for no key update',
    [chainId],
  )
  return Number(row?.final ?? -1)
}

// Hashes of blocks

type BlockRow = { number: bigint; hash: string }

function asBlocks(rows: readonly BlockRow[]): KnownBlock[] {
  return rows.map(({ number, hash }) => ({ number: Number(number), hash }))
}

export async function findBlocks(
  db: Queryable,
  chainId: number,
  { from, to }: { from: number; to: number },
): Promise<KnownBlock[]> {
  return asBlocks(
    await db.query<BlockRow>(
      'select number, hash from watched_block where chain_id = $1 and number between $2 and $3 order by number',
      [chainId, from, to],
    ),
  )
}

export async function findLastBlock(db: Queryable, chainId: number, to: number): Promise<KnownBlock | null> {
  const rows = await db.query<BlockRow>(
    'select number, hash from watched_block where chain_id = $1 and number <= $2 order by number desc limit 1',
    [chainId, to],
  )
  return asBlocks(rows)[0] ?? null
}

/** Returns the blocks with transfers to our users below a block number, the highest first. */
export async function scanDueBlocks(
  db: Queryable,
  chainId: number,
  below: number,
  limit: number,
): Promise<KnownBlock[]> {
  return asBlocks(
    await db.query<BlockRow>(
      `-- scanDueBlocks
       select distinct block_number as number, block_hash as hash from incoming_transfer
       where chain_id = $1 and block_number < $2 and chain_state <> 'reorganized' order by 1 desc limit $3`,
      [chainId, below, limit],
    ),
  )
}

export async function insertBlocks(tx: Tx, chainId: number, blocks: readonly KnownBlock[]): Promise<void> {
  await tx.query(
    `insert into watched_block (chain_id, number, hash) select $1, b.* from unnest($2::bigint[], $3::text[]) as b
     on conflict (chain_id, number) do update set hash = excluded.hash`,
    [chainId, blocks.map(({ number }) => number), blocks.map(({ hash }) => hash)],
  )
}

export async function deleteBlocks(tx: Tx, chainId: number, range: { above: number } | { below: number }) {
  if ('above' in range) {
    await tx.query('delete from watched_block where chain_id = $1 and number > $2', [chainId, range.above])
  } else {
    await tx.query('delete from watched_block where chain_id = $1 and number < $2', [chainId, range.below])
  }
}
