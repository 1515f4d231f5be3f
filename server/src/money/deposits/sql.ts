import { Type } from 'typebox'
import { mayReadAccount, sessionOf } from '../../identity/users/users.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { directoryKey, findUserByName } from '../../platform/db/directory.ts'
import { OneOf, OrNull, withRowShape } from '../../platform/db/row-shapes.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { TransferKey } from '../../providers/chain/chain.ts'
import {
  chainStates,
  type DepositFacts,
  depositStatuses,
  type NextCheck,
  returnStates,
  type Screening,
  screenings,
} from './rules.ts'

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
  risk_tier as "riskTier", return_state as "returnState", created_at as "createdAt"`

export function findUserByAddress(db: Queryable, address: string): Promise<string | null> {
  return findUserByName(db, `account:${address.toLowerCase()}`)
}

export async function findDepositKey(db: Queryable, depositId: string): Promise<DepositKey | null> {
  const userId = await findUserByName(db, `deposit_id:${depositId}`)
  return userId === null ? null : { userId, depositId }
}

/** Inserts deposits in one round trip, and their ids into the directory: a provider's callback contains only the id. */
export async function insertDeposits(tx: Tx, userId: string, deposits: readonly Deposit[]): Promise<void> {
  const inserts = deposits.flatMap((deposit) => [
    tx.query('insert into directory (lookup_key, user_id, ref_id) values ($1, $2, $3)', [
      directoryKey(`deposit_id:${deposit.depositId}`),
      userId,
      deposit.depositId,
    ]),
    tx.query(
      `insert into deposit (user_id, deposit_id, chain_id, tx_hash, log_position, token, amount, from_address, status,
         chain_state, screening, risk_score, risk_tier, due_at, created_at, updated_at)
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
    ),
  ])
  await Promise.all(inserts)
}

/**
 * Updates deposits, which never change their token or sender. A deposit that is no longer final loses its mark as
 * swept, because its tokens return to the deposit address when the transfer is mined again.
 */
export async function updateDeposits(
  tx: Tx,
  userId: string,
  deposits: readonly (Deposit & { readonly check: NextCheck })[],
  now: Date,
): Promise<void> {
  const column = <K extends keyof Deposit>(name: K) => deposits.map((deposit) => deposit[name])
  await tx.query(
    `update deposit set amount = d.amount, status = d.status, chain_state = d.chain_state, screening = d.screening,
       risk_score = d.risk_score, risk_tier = d.risk_tier, return_state = d.return_state, updated_at = $2, attempts = 0,
       due_at = case d.next_check when 'now' then $2 when 'never' then null else deposit.due_at end,
       swept_at = case d.chain_state when 'final' then deposit.swept_at end
     from unnest($3::uuid[], $4::numeric[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::text[],
       $11::text[])
       as d (deposit_id, amount, status, chain_state, screening, risk_score, risk_tier, return_state, next_check)
     where deposit.user_id = $1 and deposit.deposit_id = d.deposit_id`,
    [
      userId,
      now,
      column('depositId'),
      column('amount'),
      column('status'),
      column('chainState'),
      column('screening'),
      column('riskScore'),
      column('riskTier'),
      column('returnState'),
      deposits.map(({ check }) => check),
    ],
  )
}

export type Unswept = {
  readonly userId: string
  readonly address: string
  readonly chainId: number
  readonly token: string
  /** when the newest of the deposits was created */
  readonly until: Date
}

/** Returns accounts whose unswept final deposits in a token reach a minimum, the oldest first. */
export async function scanDueUnswept(
  db: Queryable,
  { chainId, token, minimum, limit }: { chainId: number; token: string; minimum: bigint; limit: number },
): Promise<Unswept[]> {
  return db.query<Unswept>(
    `-- scanDueUnswept
     select d.user_id as "userId", a.address, d.chain_id as "chainId", d.token, max(d.created_at) as until
     from deposit d join account a on a.user_id = d.user_id
     where d.chain_id = $1 and d.token = $2 and d.chain_state = 'final' and d.swept_at is null
     group by d.user_id, a.address, d.chain_id, d.token having sum(d.amount) >= $3
     order by min(d.created_at) limit $4`,
    [chainId, token, minimum, limit],
  )
}

/**
 * Marks the final deposits up to `until` as swept, except the newest ones that cover what the address still holds.
 * `infinity`: the sweeper ignores these deposits, although their tokens may still be at the address.
 */
export async function updateSwept(
  db: Queryable,
  { userId, chainId, token, until }: Unswept,
  { held, at }: { held: bigint; at: Date | 'infinity' },
): Promise<void> {
  await db.query(
    `update deposit set swept_at = $6
     from (
       select deposit_id, coalesce(sum(amount) over (order by created_at desc, deposit_id desc
         rows between unbounded preceding and 1 preceding), 0) as newer
       from deposit
       where user_id = $1 and chain_id = $2 and token = $3 and created_at <= $4 and chain_state = 'final' and swept_at is null
     ) as unswept
     where deposit.user_id = $1 and deposit.deposit_id = unswept.deposit_id and unswept.newer >= $5 and swept_at is null`,
    [userId, chainId, token, until, held, at],
  )
}

const ofTransfers = 'user_id = $1 and (chain_id, tx_hash, log_position) in (select * from named)'
const selectDepositsOf = withRowShape(
  Type.Object({
    status: OneOf(depositStatuses),
    chainState: OneOf(chainStates),
    screening: OneOf(screenings),
    returnState: OrNull(OneOf(returnStates)),
  }),
  `with named as (select * from unnest($2::integer[], $3::text[], $4::integer[]))
   select ${columns} from deposit where ${ofTransfers} and chain_state <> 'reorganized'
   union all select ${columns} from deposit where ${ofTransfers} and chain_state = 'reorganized'`,
)

/** Returns every deposit of the given transfers, including those that were reorganized away. */
export async function findDepositsOf(
  db: Queryable,
  userId: string,
  transfers: readonly TransferKey[],
): Promise<Deposit[]> {
  return db.query<Deposit>(selectDepositsOf, [
    userId,
    transfers.map(({ chainId }) => chainId),
    transfers.map(({ txHash }) => txHash),
    transfers.map(({ logPosition }) => logPosition),
  ])
}

export async function findDepositsById(
  db: Queryable,
  userId: string,
  depositIds: readonly string[],
): Promise<Deposit[]> {
  return db.query<Deposit>(`select ${columns} from deposit where user_id = $1 and deposit_id = any($2::uuid[])`, [
    userId,
    depositIds,
  ])
}

/** Returns the user's deposits that due work still checks. */
export async function findDueDeposits(db: Queryable, userId: string): Promise<Deposit[]> {
  return db.query<Deposit>(`select ${columns} from deposit where user_id = $1 and due_at is not null`, [userId])
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

/** Returns deposits, newest first; none if the caller may not read the account. */
export async function findReadableDeposits(db: Queryable, caller: UserCaller, limit: number): Promise<Deposit[]> {
  return db.query<Deposit>(
    `select ${columns} from deposit where user_id = $1 and ${mayReadAccount}
     order by created_at desc, deposit_id desc limit $4`,
    [...sessionOf(caller), limit],
  )
}

export async function scanDueFrozen(db: Queryable): Promise<Deposit[]> {
  return db.query<Deposit>(
    `-- scanDueFrozen
     select ${columns} from deposit
     where chain_state = 'final' and screening = 'rejected' and return_state is null`,
  )
}

export type DepositContent = Pick<Deposit, 'chainId' | 'token' | 'amount' | 'fromAddress'>

export async function scanDueCredited(
  db: Queryable,
  { chainId, token, amount, fromAddress }: DepositContent,
): Promise<Deposit[]> {
  return db.query<Deposit>(
    `-- scanDueCredited
     select ${columns} from deposit
     where chain_id = $1 and token = $2 and amount = $3 and from_address = $4 and status = 'approved'`,
    [chainId, token, amount, fromAddress],
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

/** Returns the ids whose return is on the chain but not in the books, because the restored backup is older. */
export async function findUnbookedReturns(db: Queryable, returnIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ returnId: string }>(
    `select withdrawal_id as "returnId" from payout_transaction
     where user_id is null and withdrawal_id = any($1::uuid[])`,
    [returnIds],
  )
  return rows.map(({ returnId }) => returnId)
}
