import type { Queryable, Tx } from '../db/db.ts'
import type { UserCaller } from '../http/access.ts'
import type { Transfer } from '../providers/chain/chain.ts'
import { mayReadAccount } from '../users/users.ts'
import type { DepositFacts, Screening } from './rules.ts'

export type Deposit = DepositFacts & {
  readonly logPosition: number
  readonly token: string
  readonly screening: Screening
  readonly riskScore: number
  readonly riskTier: string
}

export type DepositKey = { readonly userId: string; readonly depositId: string }

const columns = `deposit_id as "depositId", chain_id as "chainId", tx_hash as "txHash", log_position as "logPosition", token,
  amount, from_address as "fromAddress", status, chain_state as "chainState", screening, risk_score as "riskScore",
  risk_tier as "riskTier", created_at as "createdAt"`

export async function findUserByAddress(db: Queryable, address: string): Promise<string | null> {
  const [row] = await db.query<{ userId: string }>('select user_id as "userId" from directory where lookup_key = $1', [
    `account:${address}`,
  ])
  return row?.userId ?? null
}

export async function findDepositKey(db: Queryable, depositId: string): Promise<DepositKey | null> {
  const [row] = await db.query<DepositKey>(
    'select user_id as "userId", ref_id as "depositId" from directory where lookup_key = $1',
    [`deposit_id:${depositId}`],
  )
  return row ?? null
}

/** The deposit's place among all users' is taken once: what comes back is the deposit that holds it. */
export async function claimTransfer(
  tx: Tx,
  transfer: Transfer,
  userId: string,
  depositId: string,
): Promise<DepositKey> {
  const key = `tx:${transfer.chainId}:${transfer.txHash}:${transfer.logPosition}`
  const inserted = await tx.query(
    `insert into directory (lookup_key, user_id, ref_id) values ($1, $2, $3)
     on conflict (lookup_key) do nothing returning lookup_key`,
    [key, userId, depositId],
  )
  if (inserted.length === 1) {
    await tx.query('insert into directory (lookup_key, user_id, ref_id) values ($1, $2, $3)', [
      `deposit_id:${depositId}`,
      userId,
      depositId,
    ])
    return { userId, depositId }
  }
  const [holder] = await tx.query<DepositKey>(
    'select user_id as "userId", ref_id as "depositId" from directory where lookup_key = $1',
    [key],
  )
  if (!holder) throw new Error('a transfer that was just found is gone')
  return holder
}

export async function insertDeposit(tx: Tx, userId: string, deposit: Deposit): Promise<void> {
  await tx.query(
    `insert into deposit (user_id, deposit_id, chain_id, tx_hash, log_position, token, amount, from_address,
       status, chain_state, screening, risk_score, risk_tier, due_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $14)`,
    [
      userId,
      deposit.depositId,
      deposit.chainId,
      deposit.txHash,
      deposit.logPosition,
      deposit.token,
      deposit.amount,
      deposit.fromAddress,
      deposit.status,
      deposit.chainState,
      deposit.screening,
      deposit.riskScore,
      deposit.riskTier,
      deposit.createdAt,
    ],
  )
}

/** `dueAt` undefined leaves the next look where the claim of the work has put it. */
export async function updateDeposit(
  tx: Tx,
  userId: string,
  deposit: Deposit,
  { now, dueAt }: { now: Date; dueAt: Date | null | undefined },
): Promise<void> {
  await tx.query(
    `update deposit set status = $3, chain_state = $4, screening = $5, risk_score = $6, risk_tier = $7, updated_at = $8,
       due_at = case when $9 then $10 else due_at end, attempts = 0
     where user_id = $1 and deposit_id = $2`,
    [
      userId,
      deposit.depositId,
      deposit.status,
      deposit.chainState,
      deposit.screening,
      deposit.riskScore,
      deposit.riskTier,
      now,
      dueAt !== undefined,
      dueAt ?? null,
    ],
  )
}

export async function findDeposit(db: Queryable, { userId, depositId }: DepositKey): Promise<Deposit | null> {
  const [row] = await db.query<Deposit>(`select ${columns} from deposit where user_id = $1 and deposit_id = $2`, [
    userId,
    depositId,
  ])
  return row ?? null
}

export async function findDeposits(db: Queryable, userId: string): Promise<Deposit[]> {
  return db.query<Deposit>(`select ${columns} from deposit where user_id = $1`, [userId])
}

/** Newest first. Empty as well when the wallet may not read the account. */
export async function findReadableDeposits(db: Queryable, caller: UserCaller, limit: number): Promise<Deposit[]> {
  return db.query<Deposit>(
    `select ${columns} from deposit where user_id = $1 and ${mayReadAccount}
     order by created_at desc, deposit_id desc limit $3`,
    [caller.userId, caller.signerAddress, limit],
  )
}

export async function scanDueScreenings(db: Queryable): Promise<{ deposits: bigint; oldest: Date | null }> {
  const [row] = await db.query<{ deposits: bigint; oldest: Date | null }>(
    `-- scanDueScreenings
     select count(*) as deposits, min(created_at) as oldest from deposit
     where due_at is not null and screening = 'pending'`,
  )
  return row ?? { deposits: 0n, oldest: null }
}
