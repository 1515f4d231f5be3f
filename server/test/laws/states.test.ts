import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CardStatus } from '../../src/cards/cards/rules.ts'
import type { Card } from '../../src/cards/cards/sql.ts'
import type { CardEventType } from '../../src/cards/gateway/rules.ts'
import type { ViewAction } from '../../src/cards/pci/rules.ts'
import type {
  MessageOutcome,
  MessageType,
  TransactionKind,
  TransactionStatus,
} from '../../src/cards/transactions/rules.ts'
import type { Config } from '../../src/config/config.ts'
import type { KycStatus } from '../../src/lib/kyc-status.ts'
import type { OperatorRole, SessionVia } from '../../src/lib/operator-permission.ts'
import type { PartnerStatus } from '../../src/lib/partner-status.ts'
import type { AccountStatus, UserStatus } from '../../src/lib/user-status.ts'
import type { ChainState, DepositStatus, ReturnState, Screening } from '../../src/money/deposits/rules.ts'
import type { IbanStatus } from '../../src/money/ibans/rules.ts'
import type { SentSweep } from '../../src/money/sweeps/sql.ts'
import type { UnpaidDecision, WithdrawalStatus } from '../../src/money/withdrawals/rules.ts'
import type { ProposalStatus } from '../../src/operators/proposal-sql.ts'
import type { Environment, Role } from '../../src/partners/rules.ts'
import type { KillSwitch } from '../../src/switches/rules.ts'
import type { DeliveryStatus, DisabledReason, EndpointStatus } from '../../src/webhooks/rules.ts'

/** Returns the states of a type. The compiler rejects a list that lacks a state, or has one that the type lacks. */
const statesOf = <State extends string>(states: Record<State, true>) => Object.keys(states)

const chainStates = statesOf<ChainState>({ unfinal: true, final: true, reorganized: true })

/** The states of each column, by the TypeScript type that its rows are read as. */
const columns: Record<string, readonly string[]> = {
  'partner.status': statesOf<PartnerStatus>({ pending: true, active: true, suspended: true }),
  'programme.mode': statesOf<Config['mode']>({ sandbox: true, production: true }),
  'partner_member.role': statesOf<Role>({ owner: true, developer: true, viewer: true }),
  'partner_invitation.role': statesOf<Role>({ owner: true, developer: true, viewer: true }),
  'partner_domain.environment': statesOf<Environment>({ sandbox: true, production: true }),
  'app_user.status': statesOf<UserStatus>({ active: true, closed: true }),
  'app_user.kyc_status': statesOf<KycStatus>({
    notStarted: true,
    documentsRequested: true,
    pending: true,
    processing: true,
    approved: true,
    resubmissionRequested: true,
    requiresAction: true,
    rejected: true,
  }),
  'account.status': statesOf<AccountStatus>({ provisioning: true, active: true, blocked: true, closed: true }),
  'card.type': statesOf<Card['type']>({ virtual: true }),
  'card.status': statesOf<CardStatus>({
    provisioning: true,
    active: true,
    blocked: true,
    canceled: true,
    lost: true,
    stolen: true,
    expired: true,
  }),
  'card_event.type': statesOf<CardEventType>({
    activated: true,
    blocked: true,
    unblocked: true,
    lost: true,
    stolen: true,
    expired: true,
  }),
  'card_view.action': statesOf<ViewAction>({ 'view-details': true, 'view-pin': true }),
  'card_message.type': statesOf<MessageType>({
    authorization: true,
    incremental: true,
    replacement: true,
    reversal: true,
    clearing: true,
    clearing_cancellation: true,
    refund: true,
    refund_reversal: true,
    advice: true,
    expiry: true,
    single_message: true,
  }),
  'card_message.outcome': statesOf<MessageOutcome>({ approved: true, declined: true, deferred: true }),
  'card_transaction.kind': statesOf<TransactionKind>({ Payment: true, Refund: true, Reversal: true }),
  'card_transaction.status': statesOf<TransactionStatus>({
    pending: true,
    settled: true,
    cancelled: true,
    declined: true,
  }),
  'operator.role': statesOf<OperatorRole>({ viewer: true, support: true, money: true, admin: true, auditor: true }),
  'operator_session.via': statesOf<SessionVia>({ cookie: true, bearer: true }),
  'operator_proposal.status': statesOf<ProposalStatus>({ open: true, executed: true, rejected: true, lapsed: true }),
  'kill_switch.name': statesOf<KillSwitch>({ payouts: true, 'card-approvals': true }),
  'incoming_transfer.chain_state': chainStates,
  'deposit.status': statesOf<DepositStatus>({ pending: true, approved: true, rejected: true }),
  'deposit.chain_state': chainStates,
  'deposit.screening': statesOf<Screening>({ pending: true, approved: true, rejected: true }),
  'deposit.return_state': statesOf<ReturnState>({ signed: true, returned: true }),
  'sweep.status': statesOf<SentSweep['status']>({ sent: true, done: true, reverted: true, replaced: true }),
  'withdrawal.status': statesOf<WithdrawalStatus>({ pending: true, processing: true, completed: true, failed: true }),
  'withdrawal.unpaid': statesOf<'open' | UnpaidDecision>({ open: true, paid: true, refund: true, again: true }),
  'iban.status': statesOf<IbanStatus>({ pending: true, assigned: true, refused: true }),
  'webhook_endpoint.status': statesOf<EndpointStatus>({ enabled: true, disabled: true }),
  'webhook_endpoint.disabled_reason': statesOf<DisabledReason>({ partner: true, failing: true, gone: true }),
  'webhook_delivery.status': statesOf<DeliveryStatus>({ pending: true, delivered: true, dead: true }),
}

const migrations = join(import.meta.dirname, '../../src/platform/db/migrations')

const sql = readdirSync(migrations).map((file) => readFileSync(join(migrations, file), 'utf8'))
const statesIn = (list: string) => [...list.matchAll(/'([^']*)'/g)].map(([, state = '']) => state)

/** The states of each domain, which a column names instead of a check of its own. */
const domains = new Map(
  sql.flatMap((text) =>
    [...text.matchAll(/create domain (\w+) as text check \(value in \(([^)]*)\)/g)].map(
      ([, name = '', list = '']) => [name, statesIn(list)] as const,
    ),
  ),
)

function checksOf(text: string): [column: string, states: string[]][] {
  return [...text.matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)].flatMap(([, table, body = '']) => [
    ...[...body.matchAll(/check \((\w+) in \(([^)]*)\)/g)].map(([, column, list = '']): [string, string[]] => [
      `${table}.${column}`,
      statesIn(list),
    ]),
    ...[...body.matchAll(/^ {2}(\w+) (\w+)/gm)].flatMap(([, column, type = '']): [string, string[]][] => {
      const states = domains.get(type)
      return states === undefined ? [] : [[`${table}.${column}`, states]]
    }),
  ])
}

test('every list of states in a check or domain equals the TypeScript type of its column', () => {
  const sorted = (lists: Iterable<readonly [string, readonly string[]]>) =>
    Object.fromEntries([...lists].map(([column, states]) => [column, states.toSorted()]))
  expect(sorted(sql.flatMap(checksOf))).toEqual(sorted(Object.entries(columns)))
})
