import { mayReadAccount, sessionOf } from '../../identity/users/users.ts'
import type { Db, Queryable, Tx } from '../../platform/db/db.ts'
import { directoryKey, findNames, findUserByName } from '../../platform/db/directory.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { SignedPayout } from '../../providers/chain/chain.ts'
import type { UnpaidDecision, WithdrawalFacts } from './rules.ts'

export type Withdrawal = WithdrawalFacts & {
  readonly token: string
  readonly payoutSigner: string | null
  readonly payoutNonce: bigint | null
  /** whether its payout is in a block, final or not */
  readonly isMined: boolean
  /** the rejected deposit that this row returns; null: a withdrawal of the user */
  readonly depositId: string | null
  /** its payout is final but paid nobody: `open` until an operator resolves it */
  readonly unpaid: 'open' | UnpaidDecision | null
}

export type SentWithdrawal = Withdrawal & { readonly txHash: string }

export type WithdrawalKey = { readonly userId: string; readonly withdrawalId: string }

const columns = `withdrawal_id as "withdrawalId", chain_id as "chainId", token, amount, to_address as "toAddress", status,
  tx_hash as "txHash", payout_signer as "payoutSigner", payout_nonce as "payoutNonce", is_mined as "isMined",
  deposit_id as "depositId", unpaid, created_at as "createdAt"`

export async function findWithdrawalKey(db: Queryable, withdrawalId: string): Promise<WithdrawalKey | null> {
  const userId = await findUserByName(db, `withdrawal_id:${withdrawalId}`)
  return userId === null ? null : { userId, withdrawalId }
}

/** Returns the user of each known withdrawal, by its id. */
export async function findUsersOf(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string | null, string>> {
  const names = await findNames(
    db,
    ids.map((id) => `withdrawal_id:${id}` as const),
  )
  return new Map(names.map(({ refId, userId }) => [refId, userId]))
}

export async function insertWithdrawal(tx: Tx, userId: string, withdrawal: Withdrawal): Promise<void> {
  await tx.query('insert into directory (lookup_key, user_id, ref_id) values ($1, $2, $3)', [
    directoryKey(`withdrawal_id:${withdrawal.withdrawalId}`),
    userId,
    withdrawal.withdrawalId,
  ])
  await tx.query(
    `insert into withdrawal (user_id, withdrawal_id, chain_id, token, amount, to_address, status, tx_hash,
       deposit_id, due_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, null, $9, $8, $8, $8)`,
    [
      userId,
      withdrawal.withdrawalId,
      withdrawal.chainId,
      withdrawal.token,
      withdrawal.amount,
      withdrawal.toAddress,
      withdrawal.status,
      withdrawal.createdAt,
      withdrawal.depositId,
    ],
  )
}

/** Updates a withdrawal. `dueAt` null ends its due work. */
export async function updateWithdrawal(
  tx: Tx,
  userId: string,
  withdrawal: Withdrawal,
  { now, dueAt }: { now: Date; dueAt: Date | null },
): Promise<void> {
  await tx.query(
    `update withdrawal set status = $3, tx_hash = $4, payout_signer = $5, payout_nonce = $6, is_mined = $7,
       updated_at = $8, due_at = $9, unpaid = $10, attempts = 0
     where user_id = $1 and withdrawal_id = $2`,
    [
      userId,
      withdrawal.withdrawalId,
      withdrawal.status,
      withdrawal.txHash,
      withdrawal.payoutSigner,
      withdrawal.payoutNonce,
      withdrawal.isMined,
      now,
      dueAt,
      withdrawal.unpaid,
    ],
  )
}

export async function postponeCheck(
  db: Queryable,
  { userId, withdrawalId }: WithdrawalKey,
  dueAt: Date,
): Promise<void> {
  await db.query(
    `update withdrawal set due_at = $3, attempts = 0
     where user_id = $1 and withdrawal_id = $2 and due_at is not null`,
    [userId, withdrawalId, dueAt],
  )
}

export async function findWithdrawal(
  db: Queryable,
  { userId, withdrawalId }: WithdrawalKey,
): Promise<Withdrawal | null> {
  const [row] = await db.query<Withdrawal>(
    `select ${columns} from withdrawal where user_id = $1 and withdrawal_id = $2`,
    [userId, withdrawalId],
  )
  return row ?? null
}

/** Returns the user's withdrawals, but no returns: users see those as deposits. */
export async function findWithdrawals(db: Queryable, userId: string): Promise<Withdrawal[]> {
  return db.query<Withdrawal>(`select ${columns} from withdrawal where user_id = $1 and deposit_id is null`, [userId])
}

/** Returns all withdrawals and returns that have not ended, the oldest first. */
export async function scanDuePayouts(db: Queryable): Promise<(Withdrawal & { userId: string })[]> {
  return db.query<Withdrawal & { userId: string }>(
    `-- scanDuePayouts
     select user_id as "userId", ${columns} from withdrawal where due_at is not null order by created_at`,
  )
}

/** Returns withdrawals that have a transaction, newest first; none if the caller may not read the account. */
export async function findReadableWithdrawals(
  db: Queryable,
  caller: UserCaller,
  limit: number,
): Promise<SentWithdrawal[]> {
  return db.query<SentWithdrawal>(
    `select ${columns} from withdrawal where user_id = $1 and ${mayReadAccount} and tx_hash is not null
       and deposit_id is null
     order by created_at desc, withdrawal_id desc limit $4`,
    [...sessionOf(caller), limit],
  )
}

/**
 * Returns a withdrawal of the caller, but never a return; null if there is none or the caller may not read the account.
 */
export async function findReadableWithdrawal(
  db: Queryable,
  caller: UserCaller,
  withdrawalId: string,
): Promise<Withdrawal | null> {
  const [row] = await db.query<Withdrawal>(
    `select ${columns} from withdrawal
     where user_id = $1 and ${mayReadAccount} and withdrawal_id = $4 and deposit_id is null`,
    [...sessionOf(caller), withdrawalId],
  )
  return row ?? null
}

/** Returns the amounts per token that the user requested since a time, without failed withdrawals. */
export async function findRequestedSince(
  db: Queryable,
  userId: string,
  since: Date,
): Promise<{ token: string; amount: bigint }[]> {
  return db.query(
    `select token, sum(amount) as amount from withdrawal where user_id = $1 and created_at > $2 and status <> 'failed'
       and deposit_id is null group by token`,
    [userId, since],
  )
}

/**
 * Returns the chain of an owner's contract, which is null if the wallet signs with a key. Returns null if the address
 * is not an owner of the user.
 */
export async function findPayee(
  db: Queryable,
  userId: string,
  address: string,
): Promise<{ readonly contractChainId: number | null } | null> {
  const [row] = await db.query<{ contractChainId: number | null }>(
    'select contract_chain_id as "contractChainId" from owner where user_id = $1 and address = $2',
    [userId, address],
  )
  return row ?? null
}

export type QueuePart = {
  readonly chainId: number
  readonly token: string
  readonly status: 'pending' | 'processing'
  readonly isMined: boolean
  readonly count: bigint
  readonly amount: bigint
  /** the earliest time at which one of these withdrawals was requested, sent or mined */
  readonly since: Date
}

/** Sums up the queue of all users. Reads only open rows. */
export async function scanDueQueue(db: Db): Promise<QueuePart[]> {
  return db.query<QueuePart>(`-- scanDue
    select chain_id as "chainId", token, status, is_mined as "isMined", count(*) as count, sum(amount) as amount,
      min(updated_at) as since
    from withdrawal where due_at is not null group by chain_id, token, status, is_mined`)
}

/** Counts the payouts that were sent before a time and are in no block. */
export async function scanDueStuckPayouts(db: Queryable, sentBefore: Date): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(
    `-- scanDueStuckPayouts
     select count(*) as count from withdrawal
     where due_at is not null and status = 'processing' and not is_mined and updated_at < $1`,
    [sentBefore],
  )
  return row?.count ?? 0n
}

export type PayoutWallet = { readonly chainId: number; readonly signer: string }

export async function findLastNonce(db: Queryable, { chainId, signer }: PayoutWallet): Promise<bigint | null> {
  const [row] = await db.query<{ nonce: bigint | null }>(
    'select max(nonce) as nonce from payout_transaction where chain_id = $1 and signer = $2',
    [chainId, signer],
  )
  return row?.nonce ?? null
}

/** Returns the first nonce of the wallet that was not read from the chain; null if none is stored. */
export async function findUnreadNonce(db: Queryable, { chainId, signer }: PayoutWallet): Promise<bigint | null> {
  const [row] = await db.query<{ nonce: bigint }>(
    'select unread_nonce as nonce from payout_wallet where chain_id = $1 and signer = $2',
    [chainId, signer],
  )
  return row?.nonce ?? null
}

/** Stores the first unread nonce, unless another process has read further in the meantime. */
export async function putUnreadNonce(db: Db, { chainId, signer }: PayoutWallet, nonce: bigint): Promise<void> {
  await db.query(
    `insert into payout_wallet (chain_id, signer, unread_nonce) values ($1, $2, $3)
     on conflict (chain_id, signer) do update set unread_nonce = excluded.unread_nonce
       where payout_wallet.unread_nonce < excluded.unread_nonce`,
    [chainId, signer, nonce],
  )
}

export type PayoutKey = PayoutWallet & { readonly nonce: bigint }

/** The withdrawal of a payout that is stored without a user. */
export type UnassignedWithdrawal = {
  readonly userId: null
  readonly withdrawalId: string
  /** whether an operator must find the user, because no withdrawal has this id */
  readonly needsUser: boolean
}

/**
 * Stores a payout, or updates one that was stored without a user. Returns false if the nonce belongs to another
 * withdrawal or has a user.
 */
export async function insertPayout(
  db: Queryable,
  withdrawal: WithdrawalKey | UnassignedWithdrawal,
  { chainId, signer, nonce }: PayoutKey,
  signed: SignedPayout,
  now: Date,
): Promise<boolean> {
  const { userId, withdrawalId } = withdrawal
  const needsUser = userId === null && withdrawal.needsUser
  const inserted = await db.query(
    `insert into payout_transaction (chain_id, signer, nonce, user_id, withdrawal_id, needs_user, tx_hash,
       signed_transaction, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (chain_id, signer, nonce) do update set user_id = excluded.user_id, needs_user = excluded.needs_user
       where payout_transaction.user_id is null and payout_transaction.withdrawal_id = excluded.withdrawal_id
     returning nonce`,
    [chainId, signer, nonce, userId, withdrawalId, needsUser, signed.txHash, signed.signedTransaction, now],
  )
  return inserted.length === 1
}

/**
 * Overwrites a payout that can no longer be mined. The payout that used its nonce takes over the row, which then has no
 * user.
 */
export async function replacePayout(
  tx: Tx,
  { withdrawalId, needsUser }: UnassignedWithdrawal,
  { chainId, signer, nonce }: PayoutKey,
  mined: SignedPayout,
  now: Date,
): Promise<void> {
  await tx.query(
    `update payout_transaction
     set user_id = null, withdrawal_id = $4, needs_user = $5, tx_hash = $6, signed_transaction = $7, created_at = $8
     where chain_id = $1 and signer = $2 and nonce = $3`,
    [chainId, signer, nonce, withdrawalId, needsUser, mined.txHash, mined.signedTransaction, now],
  )
}

export type UnassignedPayoutRow = SignedPayout & PayoutKey & UnassignedWithdrawal

const unassignedColumns = `chain_id as "chainId", signer, nonce, withdrawal_id as "withdrawalId", user_id as "userId",
  needs_user as "needsUser", tx_hash as "txHash", signed_transaction as "signedTransaction"`

/** Returns recovered payouts without a user, the highest nonce first. */
export async function scanDueUnassigned(db: Queryable): Promise<UnassignedPayoutRow[]> {
  return db.query<UnassignedPayoutRow>(
    `-- scanDueUnassigned
     select ${unassignedColumns} from payout_transaction where user_id is null order by nonce desc`,
  )
}

/** Returns the last of a withdrawal's recovered payouts that are stored without a user. */
export async function findUnassigned(db: Queryable, withdrawalId: string): Promise<UnassignedPayoutRow | null> {
  const [row] = await db.query<UnassignedPayoutRow>(
    `select ${unassignedColumns} from payout_transaction
     where withdrawal_id = $1 and user_id is null order by nonce desc limit 1`,
    [withdrawalId],
  )
  return row ?? null
}

export type StoredPayout = SignedPayout & { readonly createdAt: Date }

/** Returns every transaction that was signed for a nonce, in order. */
export async function findSigned(db: Queryable, { chainId, signer, nonce }: PayoutKey): Promise<StoredPayout[]> {
  return db.query<StoredPayout>(
    `select tx_hash as "txHash", signed_transaction as "signedTransaction", created_at as "createdAt" from (
       select 0 as bump, tx_hash, signed_transaction, created_at from payout_transaction
         where chain_id = $1 and signer = $2 and nonce = $3
       union all
       select bump, tx_hash, signed_transaction, created_at from payout_fee_bump
         where chain_id = $1 and signer = $2 and nonce = $3
     ) as signed order by bump`,
    [chainId, signer, nonce],
  )
}

/** Returns false if another process has stored this fee bump. */
export async function insertFeeBump(
  db: Db,
  { chainId, signer, nonce }: PayoutKey,
  bump: number,
  signed: SignedPayout,
  now: Date,
): Promise<boolean> {
  const inserted = await db.query(
    `insert into payout_fee_bump (chain_id, signer, nonce, bump, tx_hash, signed_transaction, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (chain_id, signer, nonce, bump) do nothing returning bump`,
    [chainId, signer, nonce, bump, signed.txHash, signed.signedTransaction, now],
  )
  return inserted.length === 1
}
