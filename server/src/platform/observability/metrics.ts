import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../../config/config.ts'
import { cachedValue } from '../cache/cached-value.ts'
import type { PoolConnections } from '../db/db.ts'
import { type TokenLabel, tokenLabelNames } from './token-labels.ts'
import { beginAtZero } from './zeros.ts'

/** Limits rendering, which costs many times a normal request, to once per second. */
const maxRenderedMilliseconds = 1000

export type Metrics = OwnMetrics & {
  readonly registry: Registry
  /**
   * Returns the metrics in the Prometheus text format, rendered at most a second ago. Concurrent scrapes share one
   * rendering.
   */
  render(): Promise<string>
  /** Sets the function that counts the connections of each pool. It is called at each rendering. */
  watchConnections(read: () => ReadonlyMap<string, PoolConnections>): void
  /** Notes the time at which a check of the books has ended. */
  noteBooksChecked(): void
}

export type OwnMetrics = {
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>
  readonly cardDecisions: Counter<'type' | 'outcome' | 'code'>
  readonly cardDecisionSeconds: Histogram<'outcome'>
  readonly cardAlarms: Counter<'reason'>
  readonly securityEvents: Counter<'event' | 'reason'>
  readonly databaseAlarms: Counter<'reason'>
  readonly screeningAlarms: Counter<'reason'>
  readonly eventConflicts: Counter<'source'>
  readonly lostDeposits: Counter<'was'>
  readonly watcherFailures: Counter<'chain'>
  readonly watcherAlarms: Counter<'chain' | 'reason'>
  readonly reorganizations: Counter<'chain' | 'depth'>
  readonly watchedTransfers: Counter<'chain' | 'token'>
  readonly watcherBlock: Gauge<'chain' | 'at'>
  readonly watcherHeadSeconds: Gauge<'chain'>
  readonly unknownArrivals: Gauge<'chain'>
  readonly payoutAlarms: Counter<'reason'>
  readonly feeBumps: Counter
  readonly payoutQueue: Gauge<'status'>
  readonly payoutQueueSeconds: Gauge<'status'>
  readonly stuckPayouts: Gauge
  readonly payoutFunds: Gauge<TokenLabel>
  readonly payoutTransactions: Gauge<'chain'>
  readonly breakGlassDecisions: Gauge
  readonly killSwitches: Gauge<'switch'>
  readonly sweeps: Counter<'chain' | 'result'>
  readonly sweepGas: Counter<'chain'>
  readonly reconcileRuns: Counter<'result'>
  readonly reconcileBadRows: Gauge
  readonly custodyChecks: Counter<'result'>
  readonly custodyMissing: Gauge<TokenLabel>
  readonly debtUsers: Gauge<TokenLabel | 'at_least'>
  readonly debtAmount: Gauge<TokenLabel>
  readonly overdueHolds: Gauge
  readonly overdueCards: Gauge
  readonly openReviews: Gauge<'kind'>
  readonly openReviewSeconds: Gauge<'kind'>
  readonly waitingScreenings: Gauge
  readonly waitingScreeningSeconds: Gauge
  readonly webhookAttempts: Counter<'outcome'>
  readonly webhooksDisabled: Counter<'reason'>
  readonly webhooksWaiting: Gauge
  readonly webhooksOverdueSeconds: Gauge
  readonly webhooksDead: Gauge
}

/**
 * Creates the metrics of the process. Labels come from the code and the configuration, such as route patterns, error
 * codes and token addresses. So their number stays bounded.
 */
export function createMetrics(
  { roles, tokens }: Pick<Config, 'roles' | 'tokens'> = { roles: [], tokens: [] },
): Metrics {
  const registry = Registry.merge([nodeMetrics()])
  const rendered = cachedValue<string>()
  const role = new Gauge({
    name: 'purser_role',
    help: 'Roles of the process: 1 for each.',
    labelNames: ['role'],
    registers: [registry],
  })
  for (const each of roles) role.set({ role: each }, 1)
  const own = createOwnMetrics(registry)
  beginAtZero(own, new Set(tokens.map(({ chainId }) => chainId)))
  return {
    registry,
    watchConnections: (read) => countConnections(registry, read),
    render: () => rendered.read(maxRenderedMilliseconds, () => registry.metrics()),
    noteBooksChecked: createReconcileAge(registry),
    ...own,
  }
}

let sharedByServices: Registry | null = null

/**
 * Returns the metrics of Node.js. They describe the process, and some of them observe it until it ends. All services of
 * one process share them.
 */
function nodeMetrics(): Registry {
  if (sharedByServices === null) {
    sharedByServices = new Registry()
    collectDefaultMetrics({ register: sharedByServices })
  }
  return sharedByServices
}

/** Returns the function that notes the end of a check of the books. The gauge shows the time since then. */
function createReconcileAge(registry: Registry): () => void {
  let endedAt: number | null = null
  new Gauge({
    name: 'purser_reconcile_age_seconds',
    help: 'Time since this worker last finished a check of the ledger.',
    registers: [registry],
    collect() {
      // A process that has not checked the books has no value, not even zero.
      if (endedAt === null) this.remove()
      else this.set((performance.now() - endedAt) / 1000)
    },
  })
  return () => {
    endedAt = performance.now()
  }
}

function createOwnMetrics(registry: Registry): OwnMetrics {
  return {
    requestSeconds: new Histogram({
      name: 'purser_http_request_seconds',
      help: 'Time from the request to its response, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    }),
    cardDecisions: new Counter({
      name: 'purser_card_decisions_total',
      help: 'Card messages, by outcome: approved, declined (with its code), deferred, or repeated.',
      labelNames: ['type', 'outcome', 'code'],
      registers: [registry],
    }),
    cardDecisionSeconds: new Histogram({
      name: 'purser_card_decision_seconds',
      help: 'Time from the receipt of a card message to the commit of its decision.',
      labelNames: ['outcome'],
      buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 10],
      registers: [registry],
    }),
    cardAlarms: new Counter({
      name: 'purser_card_alarms_total',
      help: 'Card messages that an operator should review: over_clearing, over_reversal, unmatched_clearing, or deferred_message.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    securityEvents: new Counter({
      name: 'purser_security_events_total',
      help: 'Security events, such as rejected sign-ins and denied access, by reason: mostly an error code.',
      labelNames: ['event', 'reason'],
      registers: [registry],
    }),
    databaseAlarms: new Counter({
      name: 'purser_database_alarms_total',
      help: 'Shortages of the database, counted at most once per minute and connection pool: disk_full, out_of_memory, too_many_connections, read_only or io_error.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    screeningAlarms: new Counter({
      name: 'purser_screening_alarms_total',
      help: 'Screening callbacks that were ignored: contradiction (of a final result) or unknown_deposit.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    eventConflicts: new Counter({
      name: 'purser_event_conflicts_total',
      help: 'Messages that reuse an event id with another body. An operator must review each.',
      labelNames: ['source'],
      registers: [registry],
    }),
    lostDeposits: new Counter({
      name: 'purser_lost_deposits_total',
      help: 'Final deposits removed by a reorganization, by the place of their funds. An operator must review each.',
      labelNames: ['was'],
      registers: [registry],
    }),
    payoutAlarms: new Counter({
      name: 'purser_payout_alarms_total',
      help: 'Payout problems that need an operator: low_funds, no_gas, stuck, nonce_gap, unknown_nonce, nodes_disagree, replaced, paid_twice, unpaid, no_signer, credited_return.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    feeBumps: new Counter({
      name: 'purser_fee_bumps_total',
      help: 'Payouts signed again with a higher fee because they were not mined in time.',
      registers: [registry],
    }),
    sweeps: new Counter({
      name: 'purser_sweeps_total',
      help: 'Final sweeps to the treasury: done, reverted, replaced, or rejected (by a token contract).',
      labelNames: ['chain', 'result'],
      registers: [registry],
    }),
    sweepGas: new Counter({
      name: 'purser_sweep_gas_total',
      help: "Gas costs of sweeps, in whole units of the chain's native coin.",
      labelNames: ['chain'],
      registers: [registry],
    }),
    reconcileRuns: new Counter({
      name: 'purser_reconcile_runs_total',
      help: 'Checks of the ledger: clean, bad (bad rows were found) or failed (the check could not run).',
      labelNames: ['result'],
      registers: [registry],
    }),
    reconcileBadRows: new Gauge({
      name: 'purser_reconcile_bad_rows',
      help: 'Bad rows found by the last check of the ledger. An operator must review any value above zero.',
      registers: [registry],
    }),
    custodyChecks: new Counter({
      name: 'purser_custody_checks_total',
      help: 'Comparisons of the ledger with the chain: clean, short (funds are missing) or failed (the chain was not readable).',
      labelNames: ['result'],
      registers: [registry],
    }),
    webhookAttempts: new Counter({
      name: 'purser_webhook_attempts_total',
      help: 'Webhook delivery attempts: delivered, retry (scheduled again) or dead (a dead letter).',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    webhooksDisabled: new Counter({
      name: 'purser_webhook_endpoints_disabled_total',
      help: 'Webhook endpoints that were disabled: failing (for three days) or gone (the endpoint returned 410).',
      labelNames: ['reason'],
      registers: [registry],
    }),
    ...createGauges(registry),
    ...createWatcherMetrics(registry),
  }
}

function countConnections(registry: Registry, read: () => ReadonlyMap<string, PoolConnections>): void {
  new Gauge({
    name: 'purser_database_connections',
    help: 'Connections to the database, by pool: idle, busy, or waiting (transactions without a connection).',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, states] of read()) {
        for (const [state, number] of Object.entries(states)) this.set({ pool, state }, number)
      }
    },
  })
}

/**
 * Gauges computed from the database and the chains. Periodic work sets them, most of them once a minute, and no scrape
 * does.
 */
function createGauges(registry: Registry) {
  const gauge = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers: [registry] })
  const breakGlassDecisions = gauge(
    'purser_break_glass_decisions',
    'Decisions that operators made without a signature.',
  )
  // The alert compares all processes. Zero from a process that never counts them would look like an earlier value.
  breakGlassDecisions.remove()
  return {
    breakGlassDecisions,
    killSwitches: gauge('purser_kill_switch', 'State of a kill switch: 1 is on (normal), 0 is off.', 'switch'),
    debtUsers: gauge(
      'purser_debt_users',
      'Users whose debt in a token reaches at least this amount.',
      ...tokenLabelNames,
      'at_least',
    ),
    debtAmount: gauge('purser_debt_amount', 'Total debt of all users in a token.', ...tokenLabelNames),
    overdueHolds: gauge('purser_overdue_holds', 'Expired holds whose release is overdue.'),
    overdueCards: gauge('purser_overdue_cards', 'Cards whose creation or state is overdue at the card processor.'),
    openReviews: gauge(
      'purser_open_reviews',
      'Open reviews: card transactions to check, and deferred messages without a match.',
      'kind',
    ),
    openReviewSeconds: gauge('purser_open_review_oldest_seconds', 'Age of the oldest open review.', 'kind'),
    waitingScreenings: gauge('purser_waiting_screenings', 'Deposits without a screening result.'),
    payoutQueue: gauge('purser_payout_queue', 'Open withdrawals and returns: pending or processing.', 'status'),
    payoutQueueSeconds: gauge(
      'purser_payout_queue_oldest_seconds',
      'Longest time since an open withdrawal or return was requested, sent or mined.',
      'status',
    ),
    stuckPayouts: gauge('purser_stuck_payouts', 'Payouts sent more than ten minutes ago that are not in a block.'),
    custodyMissing: gauge(
      'purser_custody_missing',
      'Funds of a token that are missing on chain and not in an open payout.',
      ...tokenLabelNames,
    ),
    payoutFunds: gauge('purser_payout_funds', 'Balance of the payout wallet in a token.', ...tokenLabelNames),
    payoutTransactions: gauge(
      'purser_payout_transactions',
      "Number of payouts that the wallet's native coin can pay the gas for.",
      'chain',
    ),
    waitingScreeningSeconds: gauge(
      'purser_waiting_screening_oldest_seconds',
      'Age of the oldest deposit without a screening result.',
    ),
    webhooksWaiting: gauge('purser_webhooks_waiting', 'Webhook deliveries that are due now or later.'),
    webhooksOverdueSeconds: gauge(
      'purser_webhooks_overdue_seconds',
      'Time since the oldest due webhook delivery to a working endpoint of an active partner became due.',
    ),
    webhooksDead: gauge('purser_webhooks_dead', 'Webhook deliveries that are dead letters.'),
  }
}

function createWatcherMetrics(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers: [registry] })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers: [registry] })
  return {
    watcherFailures: counter('purser_watcher_failures_total', 'Failed rounds of a watcher.', 'chain'),
    watcherAlarms: counter(
      'purser_watcher_alarms_total',
      'Watcher problems that need an operator: nodes_disagree, transfers_repaired, arrival_unknown, arrival_differs.',
      'chain',
      'reason',
    ),
    reorganizations: counter(
      'purser_reorganizations_total',
      'Reorganizations, by depth: above_final or below_final.',
      'chain',
      'depth',
    ),
    watchedTransfers: counter(
      'purser_watched_transfers_total',
      'Transfers to accounts, by known and unknown tokens.',
      'chain',
      'token',
    ),
    watcherBlock: gauge(
      'purser_watcher_block',
      'Block heights of the head, the last read block and the last final block.',
      'chain',
      'at',
    ),
    watcherHeadSeconds: gauge('purser_watcher_head_age_seconds', 'Age of the newest block of the node.', 'chain'),
    unknownArrivals: gauge('purser_unknown_arrivals', 'Transfers with an unknown arrival.', 'chain'),
  }
}
