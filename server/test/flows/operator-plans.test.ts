import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scanDueReviewUser } from '../../src/cards/transactions/review-sql.ts'
import * as books from '../../src/console/books-sql.ts'
import * as evidence from '../../src/console/evidence-sql.ts'
import * as partners from '../../src/console/partners-sql.ts'
import * as search from '../../src/console/search-sql.ts'
import * as users from '../../src/console/users-sql.ts'
import * as work from '../../src/console/work-sql.ts'
import { countBreakGlassDecisions, findOperatorDecisions } from '../../src/events/operator-decisions-sql.ts'
import { findRuns } from '../../src/money/reconcile/run-sql.ts'
import { scanDueUndeclaredTransfer } from '../../src/money/watcher/transfers-sql.ts'
import { findUnassigned } from '../../src/money/withdrawals/sql.ts'
import { findProposals, type ProposalFilter } from '../../src/operators/proposal-sql.ts'
import * as operators from '../../src/operators/sql.ts'
import { type AuditFilter, findAudit } from '../../src/partners/sql.ts'
import type { Queryable } from '../../src/platform/db/db.ts'
import { findNames } from '../../src/platform/db/directory.ts'
import { findDeliveriesTo } from '../../src/webhooks/deliveries-sql.ts'
import { useService } from '../support/service.ts'

const service = useService({ worker: false })
const id = randomUUID()
const time = '2026-01-01T00:00:00.000Z'
const hash = `0x${'a'.repeat(64)}`

let client: pg.Client
beforeAll(async () => {
  client = new pg.Client(service.connection)
  await client.connect()
  // A scan of all rows is the cheapest plan, because the tables are empty. Without that scan and without bitmaps, a
  // plan shows which index can return the rows in order.
  await client.query('set enable_seqscan = off')
  await client.query('set enable_bitmapscan = off')
})
afterAll(() => client.end())

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Index Cond'?: string
  'Relation Name'?: string
  Plans?: Plan[]
}

/** Returns the nodes of a statement's plan. */
async function planOf(run: (db: Queryable) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = []
  const explain = async (text: string, values: readonly unknown[] = []) => {
    const { rows } = await client.query(`explain (format json) ${text.replace(/^\s*--.*\n/, '')}`, [...values])
    plans.push(rows[0]['QUERY PLAN'][0].Plan)
    return []
  }
  await run({ query: explain as Queryable['query'] })
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]
  return plans.flatMap(nodes)
}

const openSessions = (address: string | null) => ({ address, now: new Date(time), idleSince: new Date(time) })
const proposals = (status: ProposalFilter['status']) => ({ status, before: id, now: new Date(time), oldestOpen: id })
const audit = (filter: Partial<AuditFilter>) => ({
  ...{ action: null, actor: null, subject: null, order: 'newest' as const, after: null, limit: 50 },
  ...filter,
})
const range = { before: { createdAt: new Date(time), position: 9n }, from: '-infinity', limit: 50 } as const
const indexesOf = (plan: readonly Plan[]) => [...new Set(plan.flatMap((node) => node['Index Name'] ?? []))].toSorted()
const conditionsOf = (plan: readonly Plan[]) => plan.flatMap((node) => node['Index Cond'] ?? [])
// A list of two tables sorts only the two pages that it has read.
const sortsOf = (plan: readonly Plan[]) =>
  plan.filter((node) => node['Node Type'] === 'Sort' && node.Plans?.[0]?.['Node Type'] !== 'Append')
const scansOf = (plan: readonly Plan[]) => plan.filter((node) => node['Node Type'] === 'Seq Scan')

test.each<[name: string, run: (db: Queryable) => Promise<unknown>, index: string]>([
  ['the id of a user', (db) => users.findIsUser(db, id), 'app_user_pkey'],
  [
    'the wallet, email address, card, deposit or withdrawal',
    (db) => findNames(db, ['card:a', 'card:b']),
    'directory_pkey',
  ],
  [
    'the last digits of a card',
    (db) => search.scanDueCardsByLast4(db, { last4: '1234', month: 1, year: 2029 }, 20),
    'card_last4',
  ],
  ['an authorization code', (db) => search.scanDueTransactionsByCode(db, 'A', 20), 'card_message_code'],
  ['the hash of a deposit', (db) => search.scanDueDepositsByHash(db, hash, 20), 'deposit_tx_hash'],
  ['the hash of a payout', (db) => search.findPayoutsByHash(db, hash), 'payout_transaction_tx_hash'],
  ['the id of an event', (db) => search.findEventsById(db, id), 'partner_event_event_id_partner_id_key'],
  ['the id of a partner', (db) => search.findPartnersById(db, id), 'partner_pkey'],
  ['the name of a partner', (db) => search.findPartnersByName(db, 'a', 20), 'partner_name'],
])('a search by %s reads exactly one index', async (_name, run, index) => {
  const plan = await planOf(run)
  expect([indexesOf(plan), scansOf(plan)]).toEqual([[index], []])
})

test('a search for a transfer with an unknown arrival reads only the index of such transfers', async () => {
  const plan = await planOf((db) => scanDueUndeclaredTransfer(db, { chainId: 1, txHash: hash, logPosition: 0 }))
  const [index = '', ...others] = indexesOf(plan)
  expect([others, scansOf(plan)]).toEqual([[], []])
  const { rows } = await client.query('select indexdef from pg_indexes where indexname = $1', [index])
  expect(rows[0].indexdef).toContain('WHERE ((arrived IS NULL)')
})

test('a recovered payout of one withdrawal is found in the index of payouts without a user', async () => {
  const plan = await planOf((db) => findUnassigned(db, id))
  expect([indexesOf(plan), scansOf(plan)]).toEqual([['payout_transaction_unassigned'], []])
})

test('a search by the hash of a fee bump reads the index of hashes, and the payout by its key', async () => {
  const plan = await planOf((db) => search.findBumpsByHash(db, hash))
  expect([indexesOf(plan), scansOf(plan)]).toEqual([['payout_fee_bump_tx_hash', 'payout_transaction_pkey'], []])
})

test.each<[name: string, run: (db: Queryable) => Promise<unknown>, index: string]>([
  ['users', (db) => users.scanDueUserPage(db, id, 50), 'app_user_pkey'],
  ['reads of personal data', (db) => users.findPersonalDataReads(db, id, 50), 'personal_data_read_pkey'],
  [
    'reads of the personal data of a user',
    (db) => users.findPersonalDataReadsAbout(db, id, id, 50),
    'personal_data_read_about',
  ],
  ['a statement', (db) => users.findItemsBefore(db, id, [time, id], 50), 'statement_item_pkey'],
  ['events', (db) => users.findEventsOfUser(db, { partnerId: id, userId: id }, '9', 50), 'partner_event_about_user'],
  ['movements', (db) => books.findMovementsBefore(db, id, '9', 50), 'movement_pkey'],
  ['deposits of a user', (db) => work.findDepositsBefore(db, id, [time, id], 50), 'deposit_created_at'],
  ['withdrawals of a user', (db) => work.findWithdrawalsBefore(db, id, [time, id], 50), 'withdrawal_created_at'],
  ['reviews', (db) => work.scanDueReviewPage(db, [time, id], 50), 'card_transaction_review'],
  ['waiting deposits', (db) => work.scanDueDepositPage(db, 'waiting', [time, id], 50), 'deposit_waiting'],
  ['frozen deposits', (db) => work.scanDueDepositPage(db, 'frozen', [time, id], 50), 'deposit_frozen'],
  [
    'transfers with an unknown arrival',
    (db) => work.scanDueUnknownArrivalPage(db, ['1', '1', '', '0'], 50),
    'incoming_transfer_unknown_arrival',
  ],
  ['open payouts', (db) => work.scanDuePayoutPage(db, 'open', [time, id], 50), 'withdrawal_open'],
  ['unpaid payouts', (db) => work.scanDuePayoutPage(db, 'unpaid', [time, id], 50), 'withdrawal_unpaid'],
  ['dead letters', (db) => work.scanDueDeadLetters(db, [id, '0'], 50), 'webhook_delivery_dead'],
  ['partners', (db) => partners.findPartnersBefore(db, null, id, 50), 'partner_pkey'],
  ['suspended partners', (db) => partners.findPartnersBefore(db, 'suspended', id, 50), 'partner_status'],
  ['domains', (db) => partners.findDomainsAfter(db, '', 50), 'sign_in_domain_pkey'],
  [
    'payouts of unknown users',
    (db) => work.scanDueUnassignedPage(db, [id, hash], 50),
    'payout_transaction_unknown_user',
  ],
  ['reconciliation runs', (db) => findRuns(db, id, 50), 'reconcile_run_pkey'],
  ['operators', (db) => operators.findOperatorsAfter(db, ['0', time, ''], 50), 'operator_listed'],
  ['sessions', (db) => operators.findOperatorSessions(db, openSessions(null), id, 50), 'operator_session_pkey'],
  [
    'sessions of a wallet',
    (db) => operators.findOperatorSessions(db, openSessions('0x'), id, 50),
    'operator_session_wallet',
  ],
  ['decisions', (db) => findOperatorDecisions(db, {}, 50), 'operator_decision_seq_key'],
  ['decisions about a subject', (db) => findOperatorDecisions(db, { subject: 'a' }, 50), 'operator_decision_subject'],
  ['proposals', (db) => findProposals(db, proposals(null), 50), 'operator_proposal_pkey'],
  ['open proposals', (db) => findProposals(db, proposals('open'), 50), 'operator_proposal_status'],
  ['expired proposals', (db) => findProposals(db, proposals('expired'), 50), 'operator_proposal_status'],
  ['rejected proposals', (db) => findProposals(db, proposals('rejected'), 50), 'operator_proposal_status'],
  ['deliveries', (db) => findDeliveriesTo(db, id, { status: null, type: null }, range), 'webhook_delivery_created_at'],
  [
    'deliveries of one type',
    (db) => findDeliveriesTo(db, id, { status: null, type: 'account.created' }, range),
    'webhook_delivery_type',
  ],
  [
    'dead letters of an endpoint',
    (db) => findDeliveriesTo(db, id, { status: 'dead', type: null }, range),
    'webhook_delivery_not_delivered',
  ],
  ['the audit log of a partner', (db) => findAudit(db, id, audit({})), 'partner_audit_pkey'],
  ['the audit log of a partner by action', (db) => findAudit(db, id, audit({ action: 'a' })), 'partner_audit_action'],
  ['the audit log of a partner by actor', (db) => findAudit(db, id, audit({ actor: 'a' })), 'partner_audit_actor'],
  [
    'the audit log of a partner by subject',
    (db) => findAudit(db, id, audit({ subject: 'a' })),
    'partner_audit_subject',
  ],
])('a page of %s comes from a range of an index, without a scan of a table', async (_name, run, index) => {
  const plan = await planOf(run)
  expect(scansOf(plan)).toEqual([])
  expect(indexesOf(plan)).toContain(index)
  expect(sortsOf(plan)).toEqual([])
  // The cursor is a condition of the index. If it were a filter, a deep page would first read all pages before it.
  const reads = plan.filter((node) => node['Index Name'] === index)
  expect(reads.filter((node) => node['Index Cond'] === undefined)).toEqual([])
})

test('a page of the decisions of an operator reads one range of the index of proposers and one of approvers', async () => {
  const plan = await planOf((db) => findOperatorDecisions(db, { by: 'ada', subject: 'a' }, 50))
  expect(scansOf(plan)).toEqual([])
  const all = await planOf((db) => findOperatorDecisions(db, { by: 'ada' }, 50))
  expect(indexesOf(all)).toEqual(['operator_decision_approved_by', 'operator_decision_decided_by'])
  expect(all.map((node) => node['Node Type'])).not.toContain('Sort')
})

test('the count of break-glass decisions reads only them', async () => {
  const plan = await planOf(countBreakGlassDecisions)
  expect([indexesOf(plan), scansOf(plan)]).toEqual([['operator_decision_break_glass'], []])
})

test('an open review is found by its id in an index of open reviews', async () => {
  const plan = await planOf((db) => scanDueReviewUser(db, id))
  expect(indexesOf(plan)).toEqual(['card_message_review_id', 'card_transaction_review_id'])
  expect(conditionsOf(plan)).toEqual([expect.stringContaining(id), expect.stringContaining(id)])
})

const moment = new Date(time)
const after = { at: moment, id }
test.each<[name: string, find: evidence.FindEvidence, index: string]>([
  ['decisions', evidence.findDecisions, 'operator_decision_decided_at'],
  ['reviews', evidence.scanDueReviewsDone, 'review_done_at'],
  ['checks of the books', evidence.findReconciliations, 'reconcile_run_started_at'],
  ['card views', evidence.scanDueCardViews, 'card_view_created_at'],
  ['reads of personal data', evidence.findReads, 'personal_data_read_at'],
  ['reads by partners', evidence.findPartnerReads, 'partner_audit_read'],
])('a page of evidence of %s comes from a range of an index, without a sort', async (_name, find, index) => {
  const plan = await planOf((db) => find(db, { from: moment, to: moment }, after, 500))
  expect([indexesOf(plan), scansOf(plan)]).toEqual([[index], []])
  expect(plan.map((node) => node['Node Type'])).not.toContain('Sort')
})

test('the overview counts each kind of work in the index of the rows that wait', async () => {
  const plan = await planOf((db) => work.scanDueWorkCounts(db, { now: new Date(time), oldestProposal: id }))
  expect(scansOf(plan)).toEqual([])
  expect(indexesOf(plan)).toEqual([
    'card_message_review',
    'card_message_review_id',
    'card_transaction_review',
    'card_transaction_review_id',
    'deposit_frozen',
    'deposit_waiting',
    'incoming_transfer_unknown_arrival',
    'incoming_transfer_unknown_arrival_at',
    'operator_proposal_status',
    'partner_pending',
    'payout_transaction_unknown_user_at',
    'webhook_delivery_dead_at',
    'withdrawal_open',
    'withdrawal_unpaid',
  ])
})
