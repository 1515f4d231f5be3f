import { getAddress } from 'viem/utils'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { findNames } from '../../platform/db/directory.ts'
import type { Transfer, TransferKey } from '../../providers/chain/chain.ts'
import type { ChainState } from '../deposits/rules.ts'

// Transfers

export type Receiver = { readonly userId: string; readonly address: string }

/** Returns the users of addresses (in lower case, without `0x`). */
export async function findReceivers(db: Queryable, addresses: readonly string[]): Promise<Receiver[]> {
  const found = await findNames(
    db,
    addresses.map((address) => `account:0x${address}` as const),
  )
  return found.map(({ name, userId }) => ({ userId, address: getAddress(name.slice('account:'.length)) }))
}

export type IncomingTransfer = Omit<Transfer, 'amount'> & {
  readonly userId: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly claimed: bigint
  readonly arrived: bigint | null
}

/**
 * Inserts transfers in one round trip. An existing one is updated only if it is mined again. A transfer with an unknown
 * arrival is not final.
 */
export async function insertTransfers(
  tx: Tx,
  transfers: readonly IncomingTransfer[],
  { isFinal, now }: { isFinal: boolean; now: Date },
): Promise<void> {
  const inserts = transfers.map((transfer) =>
    tx.query(
      `insert into incoming_transfer (user_id, chain_id, tx_hash, log_position, token, from_address, to_address,
         block_number, block_hash, claimed, arrived, chain_state, due_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $13)
       on conflict (user_id, chain_id, tx_hash, log_position) do update set token = excluded.token,
         from_address = excluded.from_address, to_address = excluded.to_address, block_number = excluded.block_number,
         block_hash = excluded.block_hash, claimed = excluded.claimed, arrived = excluded.arrived,
         chain_state = excluded.chain_state, due_at = excluded.due_at, updated_at = excluded.updated_at
       where incoming_transfer.chain_state = 'reorganized'`,
      [
        transfer.userId,
        transfer.chainId,
        transfer.txHash,
        transfer.logPosition,
        transfer.token,
        transfer.fromAddress,
        transfer.toAddress,
        transfer.blockNumber,
        transfer.blockHash,
        transfer.claimed,
        transfer.arrived,
        isFinal && transfer.arrived !== null ? 'final' : 'unfinal',
        now,
      ],
    ),
  )
  await Promise.all(inserts)
}

/** Returns the users with transfers in a range of blocks. */
export async function scanDueUsers(
  db: Queryable,
  chainId: number,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(
    `-- scanDueUsers
     select distinct user_id as "userId" from incoming_transfer
     where chain_id = $1 and block_number between $2 and $3 and chain_state <> 'reorganized'`,
    [chainId, from, to],
  )
  return rows.map(({ userId }) => userId)
}

/** Makes the transfers of a range final, except those with unknown arrivals. */
export async function finalizeTransfers(
  tx: Tx,
  userIds: readonly string[],
  chainId: number,
  { from, to, now }: { from: number; to: number; now: Date },
): Promise<void> {
  await tx.query(
    `update incoming_transfer set chain_state = 'final', due_at = $5, updated_at = $5
     where user_id = any($1::uuid[]) and chain_id = $2 and block_number between $3 and $4
       and chain_state = 'unfinal' and arrived is not null`,
    [userIds, chainId, from, to, now],
  )
}

export async function reorganizeTransfers(tx: Tx, transfers: readonly IncomingTransfer[], now: Date): Promise<void> {
  await tx.query(
    `update incoming_transfer t set chain_state = 'reorganized', due_at = $5, updated_at = $5
     from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[]) as g (user_id, chain_id, tx_hash, log_position)
     where t.user_id = any($1::uuid[]) and t.user_id = g.user_id and t.chain_id = g.chain_id and t.tx_hash = g.tx_hash
       and t.log_position = g.log_position`,
    [
      transfers.map(({ userId }) => userId),
      transfers.map(({ chainId }) => chainId),
      transfers.map(({ txHash }) => txHash),
      transfers.map(({ logPosition }) => logPosition),
      now,
    ],
  )
}

export type FollowedTransfer = IncomingTransfer & { readonly chainState: ChainState }

const columns = `user_id as "userId", chain_id as "chainId", tx_hash as "txHash", log_position as "logPosition", token,
  from_address as "fromAddress", to_address as "toAddress", block_number::float8 as "blockNumber",
  block_hash as "blockHash", claimed, arrived, chain_state as "chainState"`

/**
 * Returns some of a user's due transfers and clears their due times. Later changes wait for the row locks, then set the
 * due times again.
 */
export async function takeDueTransfers(tx: Tx, userId: string, limit: number): Promise<FollowedTransfer[]> {
  return tx.query<FollowedTransfer>(
    `update incoming_transfer set due_at = null, attempts = 0
     where user_id = $1 and due_at is not null and (chain_id, tx_hash, log_position) in (
       select chain_id, tx_hash, log_position from incoming_transfer where user_id = $1 and due_at is not null limit $2)
     returning ${columns}`,
    [userId, limit],
  )
}

/** Returns whether the user has a transfer whose current state is not in the books yet. */
export async function hasDueTransfers(db: Queryable, userId: string): Promise<boolean> {
  const rows = await db.query('select 1 from incoming_transfer where user_id = $1 and due_at is not null limit 1', [
    userId,
  ])
  return rows.length > 0
}

/** Counts the transfers with unknown arrivals, and returns their blocks. */
export async function scanDueUnknownArrivals(
  db: Queryable,
  chainId: number,
): Promise<{ blocks: number[]; transfers: number }> {
  const rows = await db.query<{ number: bigint; transfers: bigint }>(
    `-- scanDueUnknownArrivals
     select block_number as number, count(*) as transfers from incoming_transfer
     where chain_id = $1 and arrived is null and chain_state <> 'reorganized' group by block_number order by 1`,
    [chainId],
  )
  return {
    blocks: rows.map(({ number }) => Number(number)),
    transfers: rows.reduce((total, row) => total + Number(row.transfers), 0),
  }
}

export async function scanDueUndeclaredTransfers(db: Queryable): Promise<FollowedTransfer[]> {
  return db.query<FollowedTransfer>(
    `-- scanDueUndeclaredTransfers
     select ${columns} from incoming_transfer where arrived is null and chain_state <> 'reorganized'
     order by chain_id, block_number, tx_hash, log_position`,
  )
}

/** Finds a transfer with an unknown arrival on its chain. Its user is not known, so this asks every shard. */
export async function scanDueUndeclaredTransfer(
  db: Queryable,
  { chainId, txHash, logPosition }: TransferKey,
): Promise<FollowedTransfer | null> {
  const [row] = await db.query<FollowedTransfer>(
    `-- scanDueUndeclaredTransfer
     select ${columns} from incoming_transfer
     where chain_id = $1 and tx_hash = $2 and log_position = $3 and arrived is null and chain_state <> 'reorganized'`,
    [chainId, txHash, logPosition],
  )
  return row ?? null
}

export async function findTransfer(
  tx: Tx,
  { userId, chainId, txHash, logPosition }: FollowedTransfer,
): Promise<FollowedTransfer | null> {
  const [row] = await tx.query<FollowedTransfer>(
    `select ${columns} from incoming_transfer
     where user_id = $1 and chain_id = $2 and tx_hash = $3 and log_position = $4`,
    [userId, chainId, txHash, logPosition],
  )
  return row ?? null
}

/** Stores an arrival that was unknown, if the stored transfer is unfinal and has the same block and claimed amount. */
export async function updateArrival(
  tx: Tx,
  { userId, chainId, txHash, logPosition, blockHash, claimed, arrived }: IncomingTransfer,
  chainState: ChainState,
  now: Date,
): Promise<void> {
  await tx.query(
    `update incoming_transfer set arrived = $6, chain_state = $7, due_at = $8, updated_at = $8
     where user_id = $1 and chain_id = $2 and tx_hash = $3 and log_position = $4 and block_hash = $5
       and claimed = $9 and arrived is null and chain_state = 'unfinal'`,
    [userId, chainId, txHash, logPosition, blockHash, arrived, chainState, now, claimed],
  )
}

/** Returns these users' transfers in a range of blocks, without reorganized ones. */
export async function findTransfersIn(
  db: Queryable,
  userIds: readonly string[],
  chainId: number,
  { from, to }: { from: number; to: number },
): Promise<FollowedTransfer[]> {
  if (userIds.length === 0) return []
  return db.query<FollowedTransfer>(
    `select ${columns} from incoming_transfer
     where user_id = any($1::uuid[]) and chain_id = $2 and block_number between $3 and $4 and chain_state <> 'reorganized'`,
    [userIds, chainId, from, to],
  )
}

/** Returns the transfers of these transactions to these users, except reorganized ones. */
export async function findTransfersOf(
  db: Queryable,
  userIds: readonly string[],
  chainId: number,
  txHashes: readonly string[],
): Promise<FollowedTransfer[]> {
  if (userIds.length === 0) return []
  return db.query<FollowedTransfer>(
    `select ${columns} from incoming_transfer
     where user_id = any($1::uuid[]) and chain_id = $2 and tx_hash = any($3::text[]) and chain_state <> 'reorganized'`,
    [userIds, chainId, txHashes],
  )
}

// Unknown tokens

export type UnknownTransfer = {
  readonly txHash: string
  readonly logIndex: number
  readonly blockNumber: number
  readonly token: string
  readonly fromAddress: string
  readonly toAddress: string
  readonly amount: bigint
}

export async function insertUnknown(
  tx: Tx,
  chainId: number,
  transfers: readonly UnknownTransfer[],
  now: Date,
): Promise<void> {
  const column = <K extends keyof UnknownTransfer>(name: K) => transfers.map((transfer) => transfer[name])
  await tx.query(
    `insert into unknown_transfer (chain_id, tx_hash, log_index, block_number, token, from_address, to_address, amount,
       created_at)
     select $1, t.*, $9 from unnest($2::text[], $3::integer[], $4::bigint[], $5::text[], $6::text[], $7::text[],
       $8::numeric[]) as t
     on conflict (chain_id, block_number, tx_hash, log_index) do nothing`,
    [
      chainId,
      column('txHash'),
      column('logIndex'),
      column('blockNumber'),
      column('token'),
      column('fromAddress'),
      column('toAddress'),
      column('amount'),
      now,
    ],
  )
}

export async function deleteUnknown(tx: Tx, chainId: number, above: number): Promise<void> {
  await tx.query('delete from unknown_transfer where chain_id = $1 and block_number > $2', [chainId, above])
}
