import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  readonly registry: Registry
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>
  readonly cardDecisions: Counter<'type' | 'outcome' | 'code'>
  readonly cardDecisionSeconds: Histogram<'outcome'>
  readonly cardAlarms: Counter<'reason'>
  readonly screeningAlarms: Counter<'reason'>
  readonly eventConflicts: Counter<'source'>
  readonly lostDeposits: Counter<'was'>
  readonly watcherFailures: Counter<'chain'>
  readonly watcherAlarms: Counter<'chain' | 'reason'>
  readonly reorganizations: Counter<'chain' | 'depth'>
  readonly watchedTransfers: Counter<'chain' | 'token'>
  readonly watcherBlock: Gauge<'chain' | 'at'>
  readonly watcherHeadSeconds: Gauge<'chain'>
  readonly untoldTransfers: Gauge<'chain'>
  readonly payoutAlarms: Counter<'reason'>
  readonly feeBumps: Counter
  readonly payoutQueue: Gauge<'status'>
  readonly payoutQueueSeconds: Gauge<'status'>
  readonly stuckPayouts: Gauge
  readonly payoutFunds: Gauge<'token'>
  readonly payoutTransactions: Gauge<'chain'>
  readonly sweeps: Counter<'chain' | 'result'>
  readonly sweepGas: Counter<'chain'>
  readonly reconcileRuns: Counter<'result'>
  readonly reconcileBadRows: Gauge
  readonly custodyChecks: Counter<'result'>
  readonly custodyMissing: Gauge<'token'>
  readonly debtUsers: Gauge<'token' | 'at_least'>
  readonly debtAmount: Gauge<'token'>
  readonly overdueHolds: Gauge
  readonly overdueHoldSeconds: Gauge
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

/** One registry a process. Labels are route patterns and codes only, never ids: their number stays bounded. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'purser_http_request_seconds',
      help: 'Time from the request to its answer, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    }),
    cardDecisions: new Counter({
      name: 'purser_card_decisions_total',
      help: 'Card messages answered: approved, declined (with its code), kept for an authorization, or repeated.',
      labelNames: ['type', 'outcome', 'code'],
      registers: [registry],
    }),
    cardDecisionSeconds: new Histogram({
      name: 'purser_card_decision_seconds',
      help: 'Time from a card message in hand to the commit of its answer.',
      labelNames: ['outcome'],
      buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 10],
      registers: [registry],
    }),
    cardAlarms: new Counter({
      name: 'purser_card_alarms_total',
      help: 'Posted or kept, but a person should look: over_clearing, over_reversal, unmatched_clearing, kept_message.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    screeningAlarms: new Counter({
      name: 'purser_screening_alarms_total',
      help: 'Callbacks of screening that could not count: contradiction (of what stands), unknown_deposit.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    eventConflicts: new Counter({
      name: 'purser_event_conflicts_total',
      help: 'Events that came again under the same id with another body: each needs a person.',
      labelNames: ['source'],
      registers: [registry],
    }),
    lostDeposits: new Counter({
      name: 'purser_lost_deposits_total',
      help: 'Final deposits that a reorganization took away, by where their money was: each needs a person.',
      labelNames: ['was'],
      registers: [registry],
    }),
    payoutAlarms: new Counter({
      name: 'purser_payout_alarms_total',
      help: 'A payout needs a person: low_funds, no_gas, stuck, nonce_gap, unknown_nonce, nodes_disagree, replaced, unpaid.',
      labelNames: ['reason'],
      registers: [registry],
    }),
    feeBumps: new Counter({
      name: 'purser_fee_bumps_total',
      help: 'Payouts that were not mined in time and were signed again for a higher fee.',
      registers: [registry],
    }),
    sweeps: new Counter({
      name: 'purser_sweeps_total',
      help: 'Sweeps to the treasury that are final: done, reverted, replaced, or refused by a token.',
      labelNames: ['chain', 'result'],
      registers: [registry],
    }),
    sweepGas: new Counter({
      name: 'purser_sweep_gas_total',
      help: "What the gas of sweeps has cost, in whole units of the chain's own coin.",
      labelNames: ['chain'],
      registers: [registry],
    }),
    reconcileRuns: new Counter({
      name: 'purser_reconcile_runs_total',
      help: 'Checks of the books: clean, bad (bad rows were found) or failed (they could not be checked).',
      labelNames: ['result'],
      registers: [registry],
    }),
    reconcileBadRows: new Gauge({
      name: 'purser_reconcile_bad_rows',
      help: 'Bad rows that the last check of the books found: anything above zero needs a person.',
      registers: [registry],
    }),
    custodyChecks: new Counter({
      name: 'purser_custody_checks_total',
      help: 'Books held against the chain: clean, short (coins are missing) or failed (the chain could not be read).',
      labelNames: ['result'],
      registers: [registry],
    }),
    webhookAttempts: new Counter({
      name: 'purser_webhook_attempts_total',
      help: 'Attempts to deliver an event: delivered, retry (tried again later) or dead (not tried again).',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    webhooksDisabled: new Counter({
      name: 'purser_webhook_endpoints_disabled_total',
      help: 'Endpoints that were given up: failing (for three days) or gone (said so).',
      labelNames: ['reason'],
      registers: [registry],
    }),
    ...createGauges(registry),
    ...createWatcherMetrics(registry),
  }
}

/** What is found by looking into the database: set by a worker about once a minute, not when scraped. */
function createGauges(registry: Registry) {
  const gauge = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers: [registry] })
  return {
    debtUsers: gauge('purser_debt_users', 'Users who owe at least so much of a token.', 'token', 'at_least'),
    debtAmount: gauge('purser_debt_amount', 'What all users owe of a token.', 'token'),
    overdueHolds: gauge('purser_overdue_holds', 'Holds whose lifetime is over and that still hold.'),
    overdueHoldSeconds: gauge('purser_overdue_hold_oldest_seconds', 'How long the oldest overdue hold has held.'),
    openReviews: gauge(
      'purser_open_reviews',
      'What a person should look at: payments posted all the same, and kept messages that match nothing.',
      'kind',
    ),
    openReviewSeconds: gauge('purser_open_review_oldest_seconds', 'How long the oldest of them is open.', 'kind'),
    waitingScreenings: gauge('purser_waiting_screenings', 'Deposits that screening has not judged.'),
    payoutQueue: gauge('purser_payout_queue', 'Withdrawals that are open: pending or processing.', 'status'),
    payoutQueueSeconds: gauge('purser_payout_queue_oldest_seconds', 'How long the oldest of them waits.', 'status'),
    stuckPayouts: gauge('purser_stuck_payouts', 'Withdrawals sent ten minutes ago that no block holds.'),
    custodyMissing: gauge('purser_custody_missing', 'What is missing and cannot be on its way out.', 'token'),
    payoutFunds: gauge('purser_payout_funds', 'What the payout wallet holds of a token.', 'token'),
    payoutTransactions: gauge(
      'purser_payout_transactions',
      "Payouts that the wallet's coin pays the fees of.",
      'chain',
    ),
    waitingScreeningSeconds: gauge('purser_waiting_screening_oldest_seconds', 'How long the oldest of them waits.'),
    webhooksWaiting: gauge('purser_webhooks_waiting', 'Deliveries that are to be made, at once or later.'),
    webhooksOverdueSeconds: gauge(
      'purser_webhooks_overdue_seconds',
      'How long the oldest one that is due has been so.',
    ),
    webhooksDead: gauge('purser_webhooks_dead', 'Deliveries that nobody tries again unless asked to.'),
  }
}

function createWatcherMetrics(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers: [registry] })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers: [registry] })
  return {
    watcherFailures: counter('purser_watcher_failures_total', 'Rounds of a watcher that failed.', 'chain'),
    watcherAlarms: counter(
      'purser_watcher_alarms_total',
      'What a person must look at: nodes_disagree, transfers_mended, arrival_untold, arrival_differs.',
      'chain',
      'reason',
    ),
    reorganizations: counter('purser_reorganisations_total', 'Blocks that were replaced.', 'chain', 'depth'),
    watchedTransfers: counter('purser_watched_transfers_total', 'Transfers to accounts.', 'chain', 'token'),
    watcherBlock: gauge('purser_watcher_block', 'The head, and how far blocks are seen and final.', 'chain', 'at'),
    watcherHeadSeconds: gauge('purser_watcher_head_age_seconds', 'Age of the newest block that a node shows.', 'chain'),
    untoldTransfers: gauge('purser_untold_transfers', 'Transfers of which no node tells what arrived.', 'chain'),
  }
}
