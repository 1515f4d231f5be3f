import type { Queryable } from '../../platform/db/db.ts'
import type { NotSwept } from '../../providers/chain/sweeper.ts'

export const sweepStatuses = ['sent', 'done', 'reverted', 'replaced'] as const

export type SentSweep = {
  readonly chainId: number
  readonly signer: string
  readonly nonce: bigint
  readonly status: (typeof sweepStatuses)[number]
  readonly accounts: number
  readonly tokens: readonly string[]
  readonly txHashes: readonly string[]
  readonly signedTransaction: string
  readonly fee: bigint | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export async function findLastSweep(db: Queryable, chainId: number, signer: string): Promise<SentSweep | null> {
  const [row] = await db.query<SentSweep>(
    `select chain_id as "chainId", signer, nonce, status, accounts, tokens, tx_hashes as "txHashes",
       signed_transaction as "signedTransaction", fee, created_at as "createdAt", updated_at as "updatedAt"
     from sweep where chain_id = $1 and signer = $2 order by nonce desc limit 1`,
    [chainId, signer],
  )
  return row ?? null
}

/** Returns the transfers that failed in a sweep that ended after `since`. */
export async function findNotSwept(db: Queryable, chainId: number, signer: string, since: Date): Promise<NotSwept[]> {
  return db.query<NotSwept>(
    `select failed.token, failed.address from sweep, unnest(not_swept, not_swept_at) as failed (token, address)
     where chain_id = $1 and signer = $2 and updated_at > $3 and not_swept <> '{}'`,
    [chainId, signer, since],
  )
}

/** Returns false if another process has started a sweep in the meantime. */
export async function insertSweep(
  db: Queryable,
  sweep: Pick<SentSweep, 'chainId' | 'signer' | 'nonce' | 'accounts' | 'tokens' | 'txHashes' | 'signedTransaction'>,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    `insert into sweep (chain_id, signer, nonce, status, accounts, tokens, tx_hashes, signed_transaction, created_at, updated_at)
     select $1::int, $2::text, $3::bigint, 'sent', $4::int, $5::text[], $6::text[], $7::text, $8::timestamptz, $8
     where not exists (select 1 from sweep where chain_id = $1 and signer = $2 and status = 'sent')
     on conflict (chain_id, signer, nonce) do nothing returning nonce`,
    [
      sweep.chainId,
      sweep.signer,
      sweep.nonce,
      sweep.accounts,
      sweep.tokens,
      sweep.txHashes,
      sweep.signedTransaction,
      now,
    ],
  )
  return rows.length === 1
}

/** Stores a fee bump. Returns false if another process has stored one in the meantime. */
export async function addFeeBump(
  db: Queryable,
  { chainId, signer, nonce, txHashes }: SentSweep,
  bumped: { txHash: string; signedTransaction: string },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    `update sweep set tx_hashes = tx_hashes || $5::text, signed_transaction = $6, updated_at = $7
     where chain_id = $1 and signer = $2 and nonce = $3 and cardinality(tx_hashes) = $4 and status = 'sent'
     returning nonce`,
    [chainId, signer, nonce, txHashes.length, bumped.txHash, bumped.signedTransaction, now],
  )
  return rows.length === 1
}

/** Returns false if another process has ended the sweep in the meantime. */
export async function endSweep(
  db: Queryable,
  { chainId, signer, nonce }: SentSweep,
  end: { status: 'done' | 'reverted' | 'replaced'; fee: bigint | null; notSwept: readonly NotSwept[] },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    `update sweep set status = $4, fee = $5, not_swept = $6, not_swept_at = $7, updated_at = $8
     where chain_id = $1 and signer = $2 and nonce = $3 and status = 'sent' returning nonce`,
    [
      chainId,
      signer,
      nonce,
      end.status,
      end.fee,
      end.notSwept.map(({ token }) => token),
      end.notSwept.map(({ address }) => address),
      now,
    ],
  )
  return rows.length === 1
}
