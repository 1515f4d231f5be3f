import { Type } from 'typebox'
import type { Hex } from 'viem'
import {
  type MessageType,
  messageTypes,
  type TransactionKind,
  type TransactionStatus,
  transactionKinds,
  transactionStatuses,
} from '../cards/transactions/rules.ts'
import type { ChainState, DepositStatus, ReturnState, Screening } from '../money/deposits/rules.ts'
import type { UnpaidDecision, WithdrawalStatus } from '../money/withdrawals/rules.ts'
import type { Queryable } from '../platform/db/db.ts'
import { OneOf, withRowShape } from '../platform/db/row-shapes.ts'
import { maxCounted } from './rules.ts'

/**
 * The lists of waiting work of all users. Each reads a partial index of rows that wait, never the rows that are done.
 * On a sharded database, the lists of users' tables ask every shard.
 */
export type WorkCount = { readonly count: bigint; readonly oldest: Date | null }

/** Matches a deposit `d` with its transfer `t`. At most one deposit that is not reorganized has this key. */
const sameTransfer =
  't.user_id = d.user_id and t.chain_id = d.chain_id and t.tx_hash = d.tx_hash and t.log_position = d.log_position'
const unknownArrival = "t.arrived is null and t.chain_state <> 'reorganized'"

/**
 * The tables and conditions of the work that waits. Each has a partial index by the time, for the oldest row. Proposals
 * have none: their ids begin with their time, so the index by status and id finds the few that are open.
 */
const waiting = {
  reviews: ['card_transaction where needs_review', 'created_at'],
  deferredMessages: ['card_message where needs_review', 'created_at'],
  // A pending deposit of unknown arrival waits for an operator, among the transfers.
  depositsWaiting: [
    `deposit d where d.status = 'pending'
       and not exists (select 1 from incoming_transfer t where ${sameTransfer} and ${unknownArrival})`,
    'created_at',
  ],
  depositsFrozen: [
    "deposit where chain_state = 'final' and screening = 'rejected' and return_state is null",
    'created_at',
  ],
  arrivalsUnknown: [`incoming_transfer t where ${unknownArrival}`, 'created_at'],
  payoutsOpen: ["withdrawal where status in ('pending', 'processing')", 'created_at'],
  payoutsUnpaid: ["withdrawal where unpaid = 'open'", 'created_at'],
  payoutsUnassigned: ['payout_transaction where needs_user', 'created_at'],
  webhooksDead: ["webhook_delivery where status = 'dead'", 'coalesce(attempted_at, created_at)'],
  partnersPending: ["partner where status = 'pending'", 'created_at'],
  proposalsOpen: ["operator_proposal where status = 'open' and expires_at > $1 and proposal_id >= $2", 'proposed_at'],
} as const satisfies Readonly<Record<string, readonly [from: string, time: string]>>

export type CountedWork = keyof typeof waiting
const countedWork = Object.keys(waiting) as CountedWork[]

/**
 * Counts the work of every list, each up to one more than `maxCounted`, and finds its oldest row, in one statement. No
 * open proposal is older than `oldestProposal`.
 */
export async function scanDueWorkCounts(
  db: Queryable,
  { now, oldestProposal }: { readonly now: Date; readonly oldestProposal: string },
): Promise<(WorkCount & { readonly work: CountedWork })[]> {
  return db.query(`-- scanDueWorkCounts\n${countedWork.map(countSql).join('\nunion all\n')}`, [now, oldestProposal])
}

/** Reads the oldest row by `limit`, for which PostgreSQL uses the index. `min` gives a row even if nothing waits. */
function countSql(work: CountedWork): string {
  const [from, time] = waiting[work]
  return `select '${work}' as work, count, oldest
    from (select count(*) as count from (select 1 from ${from} limit ${maxCounted + 1}) as first_rows) as counted,
      (select min(time) as oldest from (select ${time} as time from ${from} order by ${time} limit 1) as first_row) as eldest`
}

export type ReviewRow = {
  readonly userId: string
  readonly reviewId: string
  readonly kind: TransactionKind | MessageType
  readonly status: TransactionStatus | 'deferred'
  readonly currency: string
  readonly amountMinor: bigint | null
  readonly createdAt: Date
}

const scanReviewPage = withRowShape(
  Type.Object({
    kind: OneOf([...transactionKinds, ...messageTypes]),
    status: OneOf([...transactionStatuses, 'deferred']),
  }),
  `-- scanDueReviewPage
   (select user_id as "userId", card_transaction_id as "reviewId", kind, status, currency,
      amount_minor as "amountMinor", created_at as "createdAt"
    from card_transaction where needs_review and (created_at, card_transaction_id) > ($1, $2)
    order by created_at, card_transaction_id limit $3)
   union all
   (select m.user_id, m.card_message_id, m.type, 'deferred', c.currency, m.amount_minor, m.created_at
    from card_message m join card c on c.user_id = m.user_id and c.card_id = m.card_id
    where m.needs_review and (m.created_at, m.card_message_id) > ($1, $2)
    order by m.created_at, m.card_message_id limit $3)
   order by "createdAt", "reviewId" limit $3`,
)

/** Returns open reviews of card transactions and of deferred messages, the oldest first. */
export function scanDueReviewPage(
  db: Queryable,
  [createdAt, id]: readonly string[],
  limit: number,
): Promise<ReviewRow[]> {
  return db.query<ReviewRow>(scanReviewPage, [createdAt, id, limit])
}

export type DepositRow = {
  readonly userId: string
  readonly depositId: string
  readonly chainId: number
  readonly token: string
  readonly amount: bigint
  readonly fromAddress: string
  readonly txHash: string
  readonly status: DepositStatus
  readonly chainState: ChainState
  readonly screening: Screening
  readonly riskScore: number
  readonly riskTier: string
  readonly returnState: ReturnState | null
  readonly attempts: number
  readonly createdAt: Date
}

const depositColumns = `user_id as "userId", deposit_id as "depositId", chain_id as "chainId", token, amount,
  from_address as "fromAddress", tx_hash as "txHash", status, chain_state as "chainState", screening,
  risk_score as "riskScore", risk_tier as "riskTier", return_state as "returnState", attempts,
  created_at as "createdAt"`

const waitingDeposits = {
  waiting: waiting.depositsWaiting[0],
  frozen: waiting.depositsFrozen[0],
} as const

/** Returns deposits of all users that wait for the chain or for screening, or that were rejected; the oldest first. */
export function scanDueDepositPage(
  db: Queryable,
  state: keyof typeof waitingDeposits,
  [createdAt, id]: readonly string[],
  limit: number,
): Promise<DepositRow[]> {
  return db.query<DepositRow>(
    `-- scanDueDepositPage
     select ${depositColumns} from ${waitingDeposits[state]} and (created_at, deposit_id) > ($1, $2)
     order by created_at, deposit_id limit $3`,
    [createdAt, id, limit],
  )
}

export function findDepositsBefore(
  db: Queryable,
  userId: string,
  [createdAt, id]: readonly string[],
  limit: number,
): Promise<DepositRow[]> {
  return db.query<DepositRow>(
    `select ${depositColumns} from deposit where user_id = $1 and (created_at, deposit_id) < ($2, $3)
     order by created_at desc, deposit_id desc limit $4`,
    [userId, createdAt, id, limit],
  )
}

export type PayoutRow = {
  /** Null: a recovered payout of an unknown user. */
  readonly userId: string | null
  readonly withdrawalId: string
  readonly depositId: string | null
  readonly chainId: number
  readonly token: string
  readonly amount: bigint
  readonly toAddress: string
  readonly status: WithdrawalStatus
  readonly txHash: string | null
  readonly payoutNonce: bigint | null
  readonly isMined: boolean
  readonly unpaid: 'open' | UnpaidDecision | null
  readonly attempts: number
  readonly createdAt: Date
}

const payoutColumns = `user_id as "userId", withdrawal_id as "withdrawalId", deposit_id as "depositId",
  chain_id as "chainId", token, amount, to_address as "toAddress", status, tx_hash as "txHash",
  payout_nonce as "payoutNonce", is_mined as "isMined", unpaid, attempts, created_at as "createdAt"`

const waitingPayouts = { open: waiting.payoutsOpen[0], unpaid: waiting.payoutsUnpaid[0] } as const

/** Returns payouts of all users that have not ended, or that paid nobody; the oldest first. */
export function scanDuePayoutPage(
  db: Queryable,
  state: keyof typeof waitingPayouts,
  [createdAt, id]: readonly string[],
  limit: number,
): Promise<PayoutRow[]> {
  return db.query<PayoutRow>(
    `-- scanDuePayoutPage
     select ${payoutColumns} from ${waitingPayouts[state]} and (created_at, withdrawal_id) > ($1, $2)
     order by created_at, withdrawal_id limit $3`,
    [createdAt, id, limit],
  )
}

/** Returns the withdrawals of a user, and the returns of deposits, newest first. */
export function findWithdrawalsBefore(
  db: Queryable,
  userId: string,
  [createdAt, id]: readonly string[],
  limit: number,
): Promise<PayoutRow[]> {
  return db.query<PayoutRow>(
    `select ${payoutColumns} from withdrawal where user_id = $1 and (created_at, withdrawal_id) < ($2, $3)
     order by created_at desc, withdrawal_id desc limit $4`,
    [userId, createdAt, id, limit],
  )
}

export type UnassignedRow = {
  readonly chainId: number
  readonly nonce: bigint
  readonly withdrawalId: string
  readonly txHash: string
  readonly signedTransaction: Hex
}

/** Returns recovered payouts of unknown users, the oldest withdrawals first. */
export function scanDueUnassignedPage(
  db: Queryable,
  [id, hash]: readonly string[],
  limit: number,
): Promise<UnassignedRow[]> {
  return db.query<UnassignedRow>(
    `-- scanDueUnassignedPage
     select chain_id as "chainId", nonce, withdrawal_id as "withdrawalId", tx_hash as "txHash",
       signed_transaction as "signedTransaction"
     from ${waiting.payoutsUnassigned[0]} and (withdrawal_id, tx_hash) > ($1, $2)
     order by withdrawal_id, tx_hash limit $3`,
    [id, hash, limit],
  )
}

export type UnknownArrivalRow = {
  readonly userId: string
  /** Null: the deposit is not recorded yet. */
  readonly depositId: string | null
  readonly chainId: number
  readonly txHash: string
  readonly logPosition: number
  readonly token: string
  readonly claimed: bigint
  readonly fromAddress: string
  readonly toAddress: string
  readonly blockNumber: bigint
  /** Null, as are `riskScore` and `riskTier`, until the deposit is recorded. */
  readonly screening: Screening | null
  readonly riskScore: number | null
  readonly riskTier: string | null
  readonly createdAt: Date
}

/** Returns transfers whose arrival is unknown, the oldest blocks of each chain first. */
export function scanDueUnknownArrivalPage(
  db: Queryable,
  [chainId, block, hash, position]: readonly string[],
  limit: number,
): Promise<UnknownArrivalRow[]> {
  return db.query<UnknownArrivalRow>(
    `-- scanDueUnknownArrivalPage
     select t.user_id as "userId", d.deposit_id as "depositId", t.chain_id as "chainId", t.tx_hash as "txHash",
       t.log_position as "logPosition", t.token, t.claimed, t.from_address as "fromAddress",
       t.to_address as "toAddress", t.block_number as "blockNumber", d.screening,
       d.risk_score as "riskScore", d.risk_tier as "riskTier", t.created_at as "createdAt"
     from incoming_transfer t left join deposit d on ${sameTransfer} and d.chain_state <> 'reorganized'
     where ${unknownArrival}
       and (t.chain_id, t.block_number, t.tx_hash, t.log_position) > ($1::bigint, $2::bigint, $3::text, $4::bigint)
     order by t.chain_id, t.block_number, t.tx_hash, t.log_position limit $5`,
    [chainId, block, hash, position, limit],
  )
}

export type DeadLetter = {
  readonly endpointId: string
  readonly partnerId: string
  readonly position: bigint
  readonly eventId: string
  readonly type: string
  readonly attempts: number
  readonly attemptedAt: Date | null
  readonly responseStatus: number | null
  readonly error: string | null
}

/** Returns the dead letters of all endpoints, endpoint by endpoint. */
export function scanDueDeadLetters(
  db: Queryable,
  [endpointId, position]: readonly string[],
  limit: number,
): Promise<DeadLetter[]> {
  return db.query<DeadLetter>(
    `-- scanDueDeadLetters
     select d.endpoint_id as "endpointId", d.partner_id as "partnerId", d.position, e.event_id as "eventId", e.type,
       d.attempts, d.attempted_at as "attemptedAt", d.response_status as "responseStatus", d.error
     from (select * from webhook_delivery where status = 'dead' and (endpoint_id, position) > ($1, $2)
           order by endpoint_id, position limit $3) d
       join partner_event e on e.partner_id = d.partner_id and e.position = d.position
     order by d.endpoint_id, d.position`,
    [endpointId, position, limit],
  )
}

export type ChainRow = {
  readonly chainId: number
  readonly seenBlock: bigint
  readonly finalBlock: bigint
  /** Null: no process holds the lease. */
  readonly leasedUntil: Date | null
  readonly updatedAt: Date
}

export function findChains(db: Queryable): Promise<ChainRow[]> {
  return db.query<ChainRow>(
    `select chain_id as "chainId", seen_block as "seenBlock", final_block as "finalBlock",
       case when watcher is not null then leased_until end as "leasedUntil", updated_at as "updatedAt"
     from watched_chain order by chain_id`,
  )
}

export type PayoutWalletRow = { readonly chainId: number; readonly signer: string; readonly unreadNonce: bigint }

/**
 * Returns each payout wallet with its first nonce that is neither stored nor read. A wallet has a row of its own only
 * after a transaction that Purser had to read. The recursion finds the others, one index lookup for each wallet.
 */
export function findPayoutWallets(db: Queryable): Promise<PayoutWalletRow[]> {
  return db.query<PayoutWalletRow>(
    `with recursive payer as (
       (select chain_id, signer from payout_transaction order by chain_id, signer limit 1)
       union all
       select next.* from payer cross join lateral (
         select t.chain_id, t.signer from payout_transaction t
         where (t.chain_id, t.signer) > (payer.chain_id, payer.signer) order by t.chain_id, t.signer limit 1) next),
     known as (
       select chain_id, signer, (select max(nonce) + 1 from payout_transaction t
         where t.chain_id = payer.chain_id and t.signer = payer.signer) as unread_nonce from payer
       union all
       select chain_id, signer, unread_nonce from payout_wallet)
     select chain_id as "chainId", signer, max(unread_nonce) as "unreadNonce" from known
     group by chain_id, signer order by chain_id, signer`,
  )
}
