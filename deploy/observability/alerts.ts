/**
 * The alerts of Prometheus, one row each. `npm run build` writes `alerts.yml`, and its tests from the column
 * `test`: series for which the alert fires, and series for which it does not. `docs/runbooks.md` has a section for
 * each.
 *
 * `page` wakes somebody. `ticket` waits for the morning. Thresholds are a starting point: adapt them to your programme.
 */
export type Alert = {
  readonly name: string
  readonly group: 'service' | 'cards' | 'money' | 'chains' | 'payouts' | 'webhooks' | 'books' | 'security'
  readonly severity: 'page' | 'ticket'
  /** How long the expression must hold. */
  readonly for?: string
  readonly expr: string
  /** `{{ $labels.x }}` is the value of a label. */
  readonly summary: string
  readonly test: AlertTest
}

/** Values per minute in the notation of `promtool test rules`, by series. */
type Series = Readonly<Record<string, string>>

type AlertTest = {
  readonly fires: Series
  readonly quiet: Series
  /** Other series for which the alert fires. */
  readonly alsoFires?: Series
  /** Labels of the alert, besides its severity. */
  readonly labels?: Readonly<Record<string, string>>
  /** Minutes after which the expectation holds. */
  readonly after?: number
}

/** Returns the increase of a counter over all processes. */
const grown = (counter: string, time: string, by = '') => `sum${by} (increase(${counter}[${time}]))`

/** A counter that one process increments once after ten minutes. */
const once = '0x10 1x20'
const never = '0x30'

/**
 * The labels of a token, also in the notation of series, and those of a token of another chain with the same symbol.
 */
const euroLabels = { chain: '100', token: 'EURe', address: '0xA' }
const euro = 'chain="100",token="EURe",address="0xA"'
const otherEuro = 'chain="1",token="EURe",address="0xB"'

/** Fires while Prometheus reads no process with a role: all have ended, or Prometheus has lost them. */
const noProcess = (name: string, role: string, summary: string): Alert => ({
  name,
  group: 'service',
  severity: 'page',
  for: '2m',
  expr: `absent(purser_role{role="${role}"})`,
  summary,
  test: {
    fires: { 'purser_role{role="other",instance="a"}': '1x30' },
    quiet: { 'purser_role{role="other",instance="a"}': '1x30', [`purser_role{role="${role}",instance="b"}`]: '1x30' },
    labels: { role },
  },
})

export const alerts: readonly Alert[] = [
  {
    name: 'PurserDown',
    group: 'service',
    severity: 'page',
    for: '1m',
    expr: 'up{job="purser"} == 0',
    summary: 'Prometheus cannot read the metrics of {{ $labels.instance }}.',
    test: {
      fires: { 'up{job="purser",instance="a"}': '1x5 0x30' },
      quiet: { 'up{job="purser",instance="a"}': '1x30' },
      labels: { job: 'purser', instance: 'a' },
    },
  },
  noProcess(
    'PurserNoApi',
    'api',
    'Prometheus finds no process with the role api. Requests and card messages may have no response.',
  ),
  noProcess('PurserNoWorker', 'worker', 'Prometheus finds no process with the role worker. Payouts and webhooks wait.'),
  noProcess('PurserNoWatcher', 'watcher', 'Prometheus finds no process with the role watcher. Deposits do not appear.'),
  {
    name: 'PurserServerErrors',
    group: 'service',
    severity: 'page',
    for: '5m',
    expr: 'sum(rate(purser_http_request_seconds_count{status=~"5.."}[5m])) > 0.1',
    summary: 'Requests fail with 5xx.',
    test: {
      fires: { 'purser_http_request_seconds_count{method="GET",route="/user",status="500"}': '0+60x30' },
      quiet: { 'purser_http_request_seconds_count{method="GET",route="/user",status="404"}': '0+60x30' },
    },
  },
  {
    name: 'PurserSlowRequests',
    group: 'service',
    severity: 'ticket',
    for: '10m',
    // A partner may wait for its next event.
    expr: 'histogram_quantile(0.99, sum by (le, route) (rate(purser_http_request_seconds_bucket{route!="/partner/events"}[5m]))) > 0.5',
    summary: 'One in a hundred requests to {{ $labels.route }} takes more than half a second.',
    test: {
      fires: {
        'purser_http_request_seconds_bucket{route="/user",le="0.5"}': '0+10x30',
        'purser_http_request_seconds_bucket{route="/user",le="1"}': '0+60x30',
        'purser_http_request_seconds_bucket{route="/user",le="+Inf"}': '0+60x30',
      },
      quiet: {
        'purser_http_request_seconds_bucket{route="/user",le="0.5"}': '0+60x30',
        'purser_http_request_seconds_bucket{route="/user",le="1"}': '0+60x30',
        'purser_http_request_seconds_bucket{route="/user",le="+Inf"}': '0+60x30',
        'purser_http_request_seconds_bucket{route="/partner/events",le="0.5"}': '0x30',
        'purser_http_request_seconds_bucket{route="/partner/events",le="10"}': '0+60x30',
        'purser_http_request_seconds_bucket{route="/partner/events",le="+Inf"}': '0+60x30',
      },
      labels: { route: '/user' },
    },
  },
  {
    name: 'PurserDatabaseShortage',
    group: 'service',
    severity: 'page',
    expr: `${grown('purser_database_alarms_total', '5m', ' by (reason)')} > 0`,
    summary: 'The database cannot do its work: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_database_alarms_total{reason="disk_full"}': once },
      quiet: { 'purser_database_alarms_total{reason="disk_full"}': never },
      labels: { reason: 'disk_full' },
      after: 12,
    },
  },
  {
    name: 'PurserDatabaseConnections',
    group: 'service',
    severity: 'ticket',
    for: '5m',
    expr: 'max by (instance) (purser_database_connections{state="waiting"}) > 0',
    summary: 'Work of {{ $labels.instance }} waits for a connection to the database.',
    test: {
      fires: { 'purser_database_connections{state="waiting",instance="a"}': '3x30' },
      quiet: { 'purser_database_connections{state="waiting",instance="a"}': '3 0x30' },
      labels: { instance: 'a' },
    },
  },
  {
    name: 'PurserSlowCardDecisions',
    group: 'cards',
    severity: 'page',
    for: '5m',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(purser_card_decision_seconds_bucket[5m]))) > 0.5',
    summary: 'Card decisions are slow. By default, Purser declines an authorization that takes longer than a second.',
    test: {
      fires: {
        'purser_card_decision_seconds_bucket{le="0.5"}': '0+10x30',
        'purser_card_decision_seconds_bucket{le="1"}': '0+60x30',
        'purser_card_decision_seconds_bucket{le="+Inf"}': '0+60x30',
      },
      quiet: {
        'purser_card_decision_seconds_bucket{le="0.5"}': '0+60x30',
        'purser_card_decision_seconds_bucket{le="1"}': '0+60x30',
        'purser_card_decision_seconds_bucket{le="+Inf"}': '0+60x30',
      },
    },
  },
  {
    name: 'PurserLateCardDecisions',
    group: 'cards',
    severity: 'page',
    expr: `${grown('purser_card_decisions_total{code="TMO"}', '10m')} > 5`,
    summary: 'Card messages are declined because their decision takes too long.',
    test: {
      fires: { 'purser_card_decisions_total{type="authorization",outcome="declined",code="TMO"}': '0+2x30' },
      quiet: { 'purser_card_decisions_total{type="authorization",outcome="declined",code="TMO"}': once },
    },
  },
  {
    name: 'PurserDeclinesJump',
    group: 'cards',
    severity: 'ticket',
    for: '15m',
    expr:
      'sum(rate(purser_card_decisions_total{outcome="declined"}[15m])) > 0.05' +
      ' and sum(rate(purser_card_decisions_total{outcome="declined"}[15m])) > 0.5 * sum(rate(purser_card_decisions_total[15m]))',
    summary: 'More than half of the card messages are declined.',
    test: {
      fires: {
        'purser_card_decisions_total{type="authorization",outcome="declined",code="810"}': '0+10x60',
        'purser_card_decisions_total{type="authorization",outcome="approved",code=""}': '0+5x60',
      },
      quiet: {
        'purser_card_decisions_total{type="authorization",outcome="declined",code="810"}': '0+10x60',
        'purser_card_decisions_total{type="authorization",outcome="approved",code=""}': '0+50x60',
      },
      after: 45,
    },
  },
  {
    name: 'PurserCardAlarm',
    group: 'cards',
    severity: 'ticket',
    expr: `${grown('purser_card_alarms_total{reason=~"over_clearing|over_reversal"}', '1h', ' by (reason)')} > 0`,
    summary: 'A card message needs a review: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_card_alarms_total{reason="over_clearing"}': once },
      quiet: { 'purser_card_alarms_total{reason="deferred_message"}': once },
      labels: { reason: 'over_clearing' },
    },
  },
  {
    name: 'PurserUnmatchedCardMessages',
    group: 'cards',
    severity: 'ticket',
    expr: `${grown('purser_card_alarms_total{reason=~"unmatched_clearing|deferred_message"}', '1h', ' by (reason)')} > 10 and ${grown('purser_card_alarms_total{reason=~"unmatched_clearing|deferred_message"}', '1h', ' by (reason)')} > 3 / 24 * ${grown('purser_card_alarms_total{reason=~"unmatched_clearing|deferred_message"}', '1d', ' by (reason)')}`,
    summary: 'Card messages without their authorization arrive three times as often as usual: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_card_alarms_total{reason="unmatched_clearing"}': '0x1400 0+1x60' },
      quiet: { 'purser_card_alarms_total{reason="unmatched_clearing"}': '0+1x1500' },
      labels: { reason: 'unmatched_clearing' },
      after: 1450,
    },
  },
  {
    name: 'PurserDeferredMessageOld',
    group: 'cards',
    severity: 'ticket',
    expr: 'max(purser_open_review_oldest_seconds{kind="deferred"}) > 86400',
    summary: 'A deferred card message has had no match for a day.',
    test: {
      fires: { 'purser_open_review_oldest_seconds{kind="deferred"}': '90000x30' },
      quiet: { 'purser_open_review_oldest_seconds{kind="deferred"}': '80000x30' },
    },
  },
  {
    name: 'PurserReviewOld',
    group: 'cards',
    severity: 'ticket',
    expr: 'max(purser_open_review_oldest_seconds{kind="payment"}) > 3 * 86400',
    summary: 'A card transaction has waited for its review for three days.',
    test: {
      fires: { 'purser_open_review_oldest_seconds{kind="payment"}': '260000x30' },
      quiet: { 'purser_open_review_oldest_seconds{kind="payment"}': '90000x30' },
    },
  },
  {
    name: 'PurserHoldsOverdue',
    group: 'cards',
    severity: 'page',
    for: '10m',
    expr: 'max(purser_overdue_holds) > 0',
    summary: 'Expired holds are not released. The worker fails.',
    test: { fires: { purser_overdue_holds: '1x30' }, quiet: { purser_overdue_holds: '1x3 0x30' } },
  },
  {
    name: 'PurserCardsOverdue',
    group: 'cards',
    severity: 'ticket',
    for: '15m',
    expr: 'max(purser_overdue_cards) > 0',
    summary: 'The card processor does not create cards, or does not accept their new states.',
    test: { fires: { purser_overdue_cards: '1x30' }, quiet: { purser_overdue_cards: '1x3 0x30' } },
  },
  {
    name: 'PurserEventConflicts',
    group: 'cards',
    severity: 'ticket',
    expr: `${grown('purser_event_conflicts_total', '15m', ' by (source)')} > 0`,
    summary: 'A message of {{ $labels.source }} reuses an event id with another body.',
    test: {
      fires: { 'purser_event_conflicts_total{source="issuer"}': once },
      quiet: { 'purser_event_conflicts_total{source="issuer"}': never },
      labels: { source: 'issuer' },
      after: 15,
    },
  },
  {
    name: 'PurserDebtUsersGrow',
    group: 'money',
    severity: 'ticket',
    expr: 'max by (chain, token, address) (purser_debt_users{at_least="100"}) > 10 + max by (chain, token, address) (purser_debt_users{at_least="100"} offset 1d)',
    summary: 'Ten more users than yesterday owe at least 100 {{ $labels.token }} on chain {{ $labels.chain }}.',
    test: {
      fires: {
        [`purser_debt_users{${euro},at_least="100"}`]: '2x1440 20x60',
        [`purser_debt_users{${otherEuro},at_least="100"}`]: '30x1500',
      },
      quiet: { [`purser_debt_users{${euro},at_least="100"}`]: '2x1440 8x60' },
      labels: euroLabels,
      after: 1460,
    },
  },
  {
    name: 'PurserDebtHigh',
    group: 'money',
    severity: 'ticket',
    expr: 'max by (chain, token, address) (purser_debt_amount) > 10000',
    summary: 'Users owe more than 10,000 {{ $labels.token }} on chain {{ $labels.chain }}.',
    test: {
      fires: { [`purser_debt_amount{${euro}}`]: '12000x30', [`purser_debt_amount{${otherEuro}}`]: '9000x30' },
      quiet: { [`purser_debt_amount{${euro}}`]: '9000x30', [`purser_debt_amount{${otherEuro}}`]: '9000x30' },
      labels: euroLabels,
    },
  },
  {
    name: 'PurserScreeningWaits',
    group: 'money',
    severity: 'ticket',
    expr: 'max(purser_waiting_screening_oldest_seconds) > 900',
    summary: 'Deposits wait for a screening result.',
    test: {
      fires: { purser_waiting_screening_oldest_seconds: '1000x30' },
      quiet: { purser_waiting_screening_oldest_seconds: '800x30' },
    },
  },
  {
    name: 'PurserScreeningAlarm',
    group: 'money',
    severity: 'ticket',
    expr: `${grown('purser_screening_alarms_total', '1h', ' by (reason)')} > 0`,
    summary: 'A screening callback was ignored: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_screening_alarms_total{reason="contradiction"}': once },
      quiet: { 'purser_screening_alarms_total{reason="contradiction"}': never },
      labels: { reason: 'contradiction' },
    },
  },
  {
    name: 'PurserLostDeposits',
    group: 'money',
    severity: 'page',
    expr: `${grown('purser_lost_deposits_total', '15m', ' by (was)')} > 0`,
    summary: 'A reorganization removed a final deposit. Place of its funds: {{ $labels.was }}.',
    test: {
      fires: { 'purser_lost_deposits_total{was="credited"}': once },
      quiet: { 'purser_lost_deposits_total{was="credited"}': never },
      labels: { was: 'credited' },
      after: 15,
    },
  },
  {
    name: 'PurserNodeLags',
    group: 'chains',
    severity: 'page',
    for: '5m',
    expr: 'max by (chain) (purser_watcher_head_age_seconds) > 120',
    summary: 'The newest block of chain {{ $labels.chain }} is more than two minutes old. Usually its node lags.',
    test: {
      fires: { 'purser_watcher_head_age_seconds{chain="100"}': '200x30' },
      quiet: { 'purser_watcher_head_age_seconds{chain="100"}': '200x3 5x30' },
      labels: { chain: '100' },
    },
  },
  {
    name: 'PurserWatcherBehind',
    group: 'chains',
    severity: 'page',
    for: '5m',
    expr: 'max by (chain) (purser_watcher_block{at="head"}) - max by (chain) (purser_watcher_block{at="seen"}) > 20',
    summary: 'The watcher of chain {{ $labels.chain }} is more than 20 blocks behind its node.',
    test: {
      fires: {
        'purser_watcher_block{chain="100",at="head"}': '1000x30',
        'purser_watcher_block{chain="100",at="seen"}': '900x30',
      },
      quiet: {
        'purser_watcher_block{chain="100",at="head"}': '1000x30',
        'purser_watcher_block{chain="100",at="seen"}': '999x30',
      },
      labels: { chain: '100' },
    },
  },
  {
    name: 'PurserWatcherFails',
    group: 'chains',
    severity: 'page',
    for: '5m',
    expr: 'sum by (chain) (increase(purser_watcher_failures_total[10m])) > 0 unless max by (chain) (changes(purser_watcher_block{at="seen"}[10m])) > 0',
    summary: 'Each round of the watcher of chain {{ $labels.chain }} fails.',
    test: {
      fires: {
        'purser_watcher_failures_total{chain="100"}': '0+2x40',
        'purser_watcher_block{chain="100",at="seen"}': '900x40',
      },
      quiet: {
        'purser_watcher_failures_total{chain="100"}': '0+2x40',
        'purser_watcher_block{chain="100",at="seen"}': '900+3x40',
      },
      labels: { chain: '100' },
    },
  },
  {
    name: 'PurserFinalityStalls',
    group: 'chains',
    severity: 'page',
    for: '15m',
    expr: 'max by (chain) (changes(purser_watcher_block{at="seen"}[30m])) > 0 unless max by (chain) (changes(purser_watcher_block{at="final"}[30m])) > 0',
    summary: 'Blocks of chain {{ $labels.chain }} are read, but none becomes final. Deposits stay pending.',
    test: {
      fires: {
        'purser_watcher_block{chain="100",at="seen"}': '900+3x90',
        'purser_watcher_block{chain="100",at="final"}': '880x90',
      },
      quiet: {
        'purser_watcher_block{chain="100",at="seen"}': '900+3x90',
        'purser_watcher_block{chain="100",at="final"}': '880+3x90',
      },
      labels: { chain: '100' },
      after: 60,
    },
  },
  {
    name: 'PurserNodesDisagree',
    group: 'chains',
    severity: 'page',
    for: '10m',
    expr: `${grown('purser_watcher_alarms_total{reason="nodes_disagree"}', '10m', ' by (chain)')} > 0`,
    summary: 'The nodes of chain {{ $labels.chain }} report different blocks or transfers, and nothing becomes final.',
    test: {
      fires: { 'purser_watcher_alarms_total{chain="100",reason="nodes_disagree"}': '0+1x40' },
      quiet: { 'purser_watcher_alarms_total{chain="100",reason="nodes_disagree"}': '0x5 1x40' },
      labels: { chain: '100' },
    },
  },
  {
    name: 'PurserNodeLies',
    group: 'chains',
    severity: 'ticket',
    expr: `${grown('purser_watcher_alarms_total{reason=~"transfers_repaired|arrival_differs"}', '1h', ' by (chain, reason)')} > 0`,
    summary: 'A node or a token of chain {{ $labels.chain }} reported transfers that differ: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_watcher_alarms_total{chain="100",reason="transfers_repaired"}': once },
      quiet: { 'purser_watcher_alarms_total{chain="100",reason="nodes_disagree"}': once },
      labels: { chain: '100', reason: 'transfers_repaired' },
    },
  },
  {
    name: 'PurserArrivalsUnknown',
    group: 'chains',
    severity: 'ticket',
    for: '15m',
    expr: 'max by (chain) (purser_unknown_arrivals) > 0',
    summary: 'A transfer on chain {{ $labels.chain }} stays pending, because the amount that arrived is unknown.',
    test: {
      fires: { 'purser_unknown_arrivals{chain="100"}': '1x40' },
      quiet: { 'purser_unknown_arrivals{chain="100"}': '1x10 0x30' },
      labels: { chain: '100' },
    },
  },
  {
    name: 'PurserDeepReorganization',
    group: 'chains',
    severity: 'page',
    expr: `${grown('purser_reorganizations_total{depth="below_final"}', '15m', ' by (chain)')} > 0`,
    summary: 'Chain {{ $labels.chain }} replaced blocks that were final.',
    test: {
      fires: { 'purser_reorganizations_total{chain="100",depth="below_final"}': once },
      quiet: { 'purser_reorganizations_total{chain="100",depth="above_final"}': once },
      labels: { chain: '100' },
      after: 15,
    },
  },
  {
    name: 'PurserSweepFails',
    group: 'chains',
    severity: 'ticket',
    expr: `${grown('purser_sweeps_total{result!="done"}', '1h', ' by (chain, result)')} > 0`,
    summary: 'A sweep on chain {{ $labels.chain }} did not reach the treasury: {{ $labels.result }}.',
    test: {
      fires: { 'purser_sweeps_total{chain="100",result="reverted"}': once },
      quiet: { 'purser_sweeps_total{chain="100",result="done"}': once },
      labels: { chain: '100', result: 'reverted' },
    },
  },
  {
    name: 'PurserSweepGasHigh',
    group: 'chains',
    severity: 'ticket',
    expr: 'sum by (chain) (increase(purser_sweep_gas_total[1d])) > 2 * sum by (chain) (increase(purser_sweep_gas_total[1d] offset 1d))',
    summary: 'Sweeps on chain {{ $labels.chain }} cost twice as much gas as yesterday.',
    test: {
      fires: { 'purser_sweep_gas_total{chain="100"}': '0+1x1440 1443+3x1440' },
      quiet: { 'purser_sweep_gas_total{chain="100"}': '0+1x2900' },
      labels: { chain: '100' },
      after: 2880,
    },
  },
  {
    name: 'PurserPayoutsWait',
    group: 'payouts',
    severity: 'page',
    expr: 'max(purser_payout_queue_oldest_seconds{status="pending"}) > 600',
    summary: 'A withdrawal or return has waited for more than ten minutes.',
    test: {
      fires: { 'purser_payout_queue_oldest_seconds{status="pending"}': '700x30' },
      quiet: { 'purser_payout_queue_oldest_seconds{status="processing"}': '700x30' },
    },
  },
  {
    name: 'PurserPayoutsStuck',
    group: 'payouts',
    severity: 'page',
    for: '5m',
    expr: 'max(purser_stuck_payouts) > 0',
    summary: 'A payout was sent more than ten minutes ago and is in no block.',
    test: { fires: { purser_stuck_payouts: '1x30' }, quiet: { purser_stuck_payouts: '1x3 0x30' } },
  },
  {
    name: 'PurserPayoutAlarm',
    group: 'payouts',
    severity: 'page',
    expr: `${grown('purser_payout_alarms_total', '15m', ' by (reason)')} > 0`,
    summary: 'A payout needs an operator: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_payout_alarms_total{reason="nonce_gap"}': once },
      quiet: { 'purser_payout_alarms_total{reason="nonce_gap"}': never },
      labels: { reason: 'nonce_gap' },
      after: 15,
    },
  },
  {
    name: 'PurserPayoutFundsLow',
    group: 'payouts',
    severity: 'ticket',
    expr: 'max by (chain, token, address) (purser_payout_funds) < 1000',
    summary: 'The payout wallet has less than 1,000 {{ $labels.token }} on chain {{ $labels.chain }}.',
    test: {
      fires: { [`purser_payout_funds{${euro}}`]: '900x30', [`purser_payout_funds{${otherEuro}}`]: '5000x30' },
      quiet: { [`purser_payout_funds{${euro}}`]: '5000x30', [`purser_payout_funds{${otherEuro}}`]: '5000x30' },
      labels: euroLabels,
    },
  },
  {
    name: 'PurserPayoutGasLow',
    group: 'payouts',
    severity: 'ticket',
    expr: 'max by (chain) (purser_payout_transactions) < 100',
    summary: 'The payout wallet has gas for fewer than 100 payouts on chain {{ $labels.chain }}.',
    test: {
      fires: { 'purser_payout_transactions{chain="100"}': '90x30' },
      quiet: { 'purser_payout_transactions{chain="100"}': '500x30' },
      labels: { chain: '100' },
    },
  },
  {
    name: 'PurserFeeBumps',
    group: 'payouts',
    severity: 'ticket',
    expr: `${grown('purser_fee_bumps_total', '1h')} > 20`,
    summary: 'Payouts are signed again and again with higher fees.',
    test: { fires: { purser_fee_bumps_total: '0+1x60' }, quiet: { purser_fee_bumps_total: once }, after: 50 },
  },
  {
    name: 'PurserWebhooksOverdue',
    group: 'webhooks',
    severity: 'page',
    for: '5m',
    expr: 'max(purser_webhooks_overdue_seconds) > 60',
    summary: 'Webhook deliveries to working endpoints are late. The workers, or an endpoint, are too slow.',
    test: {
      fires: { purser_webhooks_overdue_seconds: '90x30' },
      quiet: { purser_webhooks_overdue_seconds: '90x3 1x30' },
    },
  },
  {
    name: 'PurserWebhooksFail',
    group: 'webhooks',
    severity: 'ticket',
    for: '30m',
    expr: 'sum(rate(purser_webhook_attempts_total{outcome="delivered"}[15m])) < 0.5 * sum(rate(purser_webhook_attempts_total[15m]))',
    summary: 'Fewer than half of the webhook attempts are delivered.',
    test: {
      fires: {
        'purser_webhook_attempts_total{outcome="delivered"}': '0+1x90',
        'purser_webhook_attempts_total{outcome="retry"}': '0+5x90',
      },
      quiet: {
        'purser_webhook_attempts_total{outcome="delivered"}': '0+5x90',
        'purser_webhook_attempts_total{outcome="retry"}': '0+1x90',
      },
      alsoFires: {
        'purser_webhook_attempts_total{outcome="delivered"}': '0x90',
        'purser_webhook_attempts_total{outcome="retry"}': '0+5x90',
      },
      after: 60,
    },
  },
  {
    name: 'PurserWebhooksPileUp',
    group: 'webhooks',
    severity: 'ticket',
    expr: 'max(purser_webhooks_waiting) + max(purser_webhooks_dead) > 1000 + max(purser_webhooks_waiting offset 3h) + max(purser_webhooks_dead offset 3h)',
    summary: 'A thousand more webhook deliveries wait or are dead than three hours ago.',
    test: {
      fires: { purser_webhooks_waiting: '0+10x240', purser_webhooks_dead: '0x240' },
      quiet: { purser_webhooks_waiting: '2000x240', purser_webhooks_dead: '0+1x240' },
      after: 200,
    },
  },
  {
    name: 'PurserWebhookEndpointDisabled',
    group: 'webhooks',
    severity: 'ticket',
    expr: `${grown('purser_webhook_endpoints_disabled_total', '1h', ' by (reason)')} > 0`,
    summary: 'An endpoint of a partner was disabled: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_webhook_endpoints_disabled_total{reason="gone"}': once },
      quiet: { 'purser_webhook_endpoints_disabled_total{reason="gone"}': never },
      labels: { reason: 'gone' },
    },
  },
  {
    name: 'PurserBadRows',
    group: 'books',
    severity: 'page',
    expr: 'max(purser_reconcile_bad_rows) > 0',
    summary: 'The books have bad rows. Stop payouts.',
    test: { fires: { purser_reconcile_bad_rows: '1x30' }, quiet: { purser_reconcile_bad_rows: '0x30' } },
  },
  {
    name: 'PurserBooksUnchecked',
    group: 'books',
    severity: 'page',
    for: '5m',
    expr: 'min(purser_reconcile_age_seconds) > 14400 or absent_over_time(purser_reconcile_age_seconds[4h])',
    summary: 'No check of the books has ended for four hours, so nobody knows whether they are correct.',
    test: {
      fires: { purser_reconcile_age_seconds: '0+60x300' },
      alsoFires: { 'purser_reconcile_runs_total{result="failed"}': '0+1x300' },
      // One of two workers checks them.
      quiet: {
        'purser_reconcile_age_seconds{instance="a"}': '0+60x300',
        'purser_reconcile_age_seconds{instance="b"}': '90x300',
      },
      after: 270,
    },
  },
  {
    name: 'PurserCustodyMissing',
    group: 'books',
    severity: 'page',
    expr: 'max by (chain, token, address) (purser_custody_missing) > 0',
    summary:
      'The books have more {{ $labels.token }} than the wallets and deposit addresses on chain {{ $labels.chain }}.',
    test: {
      fires: { [`purser_custody_missing{${euro}}`]: '1x30', [`purser_custody_missing{${otherEuro}}`]: '0x30' },
      quiet: { [`purser_custody_missing{${euro}}`]: '0x30', [`purser_custody_missing{${otherEuro}}`]: '0x30' },
      labels: euroLabels,
    },
  },
  {
    name: 'PurserCustodyUnchecked',
    group: 'books',
    severity: 'ticket',
    expr: `${grown('purser_custody_checks_total{result="failed"}', '2h')} > 0 unless ${grown('purser_custody_checks_total{result=~"clean|short"}', '2h')} > 0`,
    summary: 'The comparison of the books with the chain fails.',
    test: {
      fires: {
        'purser_custody_checks_total{result="failed"}': once,
        'purser_custody_checks_total{result="clean"}': never,
      },
      quiet: {
        'purser_custody_checks_total{result="failed"}': once,
        'purser_custody_checks_total{result="clean"}': once,
      },
    },
  },
  {
    name: 'PurserKillSwitchOff',
    group: 'security',
    severity: 'page',
    expr: 'min by (switch) (purser_kill_switch) == 0 or max by (switch) (changes(purser_kill_switch[10m])) > 0',
    summary: 'The kill switch {{ $labels.switch }} is off, or was changed.',
    test: {
      fires: { 'purser_kill_switch{switch="payouts"}': '1x5 0x30' },
      quiet: { 'purser_kill_switch{switch="payouts"}': '1x30' },
      labels: { switch: 'payouts' },
    },
  },
  {
    name: 'PurserKillSwitchFlips',
    group: 'security',
    severity: 'page',
    // Every process has the gauge, so a sum would count one change once for each process.
    expr: 'max by (switch) (changes(purser_kill_switch[1h])) > 10',
    summary: 'The kill switch {{ $labels.switch }} changes repeatedly.',
    test: {
      fires: { 'purser_kill_switch{switch="payouts"}': '1 0 1 0 1 0 1 0 1 0 1 0 1x20' },
      quiet: Object.fromEntries(
        Array.from({ length: 12 }, (_, process) => [
          `purser_kill_switch{switch="payouts",instance="${process}"}`,
          '1x10 0x20',
        ]),
      ),
      labels: { switch: 'payouts' },
      after: 30,
    },
  },
  {
    name: 'PurserForgedCallbacks',
    group: 'security',
    severity: 'page',
    expr: `${grown('purser_security_events_total{event="callback_rejected"}', '10m')} > 10`,
    summary: 'Card messages or callbacks with invalid signatures arrive.',
    test: {
      fires: { 'purser_security_events_total{event="callback_rejected",reason="ISSUER_SIGNATURE_REFUSED"}': '0+2x30' },
      quiet: { 'purser_security_events_total{event="callback_rejected",reason="ISSUER_SIGNATURE_REFUSED"}': once },
    },
  },
  {
    name: 'PurserOwnerChangesRejected',
    group: 'security',
    severity: 'page',
    expr: `${grown('purser_security_events_total{event="owner_change_rejected"}', '1h')} > 10`,
    summary: 'Somebody tries to change owners without an approval.',
    test: {
      fires: { 'purser_security_events_total{event="owner_change_rejected",reason="OWNER_NOT_APPROVED"}': '0+1x30' },
      quiet: { 'purser_security_events_total{event="owner_change_rejected",reason="OWNER_NOT_APPROVED"}': once },
    },
  },
  {
    name: 'PurserOwnersChange',
    group: 'security',
    severity: 'page',
    expr: `${grown('purser_security_events_total{event=~"owner_changed|sessions_ended"}', '1h', ' by (event)')} > 50`,
    summary: 'Many users change their owners or end their sessions at once: {{ $labels.event }}.',
    test: {
      fires: { 'purser_security_events_total{event="owner_changed",reason="added"}': '0+2x60' },
      quiet: { 'purser_security_events_total{event="owner_changed",reason="added"}': once },
      labels: { event: 'owner_changed' },
      after: 50,
    },
  },
  {
    name: 'PurserAccessDecided',
    group: 'security',
    severity: 'ticket',
    expr: `${grown('purser_security_events_total{event="operator_decided",reason=~"(operator|domain|keys) .*"}', '15m', ' by (reason)')} > 0`,
    summary: 'An operator changed who has access: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_security_events_total{event="operator_decided",reason="operator add"}': once },
      quiet: { 'purser_security_events_total{event="operator_decided",reason="reviews done"}': once },
      labels: { reason: 'operator add' },
      after: 15,
    },
  },
  {
    name: 'PurserBreakGlass',
    group: 'security',
    severity: 'page',
    // A worker that starts has no earlier value, and other processes have none at all.
    expr: 'max(purser_break_glass_decisions) > min(min_over_time(purser_break_glass_decisions[15m]))',
    summary: 'Somebody with access to the database made a decision without a signature.',
    test: {
      fires: { purser_break_glass_decisions: '1x10 2x20' },
      quiet: { purser_break_glass_decisions: '_x10 1x20' },
      labels: {},
      after: 15,
    },
  },
  {
    name: 'PurserManyReveals',
    group: 'security',
    severity: 'page',
    expr: `${grown('purser_security_events_total{event="personal_data_revealed"}', '1h')} > 30`,
    summary: 'Operators read the personal data of many users.',
    test: {
      fires: { 'purser_security_events_total{event="personal_data_revealed",reason="support"}': '0+1x60' },
      quiet: { 'purser_security_events_total{event="personal_data_revealed",reason="support"}': once },
      after: 50,
    },
  },
  {
    name: 'PurserOperatorSignIns',
    group: 'security',
    severity: 'ticket',
    expr: `${grown('purser_security_events_total{event="operator_signed_in"}', '1h', ' by (reason)')} > 20`,
    summary: 'Operators with the role {{ $labels.reason }} sign in unusually often.',
    test: {
      fires: { 'purser_security_events_total{event="operator_signed_in",reason="admin"}': '0+1x60' },
      quiet: { 'purser_security_events_total{event="operator_signed_in",reason="admin"}': once },
      labels: { reason: 'admin' },
      after: 50,
    },
  },
  {
    name: 'PurserKeyUseJumps',
    group: 'security',
    severity: 'ticket',
    expr: `${grown('purser_security_events_total{event="api_key_used"}', '1h', ' by (reason)')} > 1000 and ${grown('purser_security_events_total{event="api_key_used"}', '1h', ' by (reason)')} > 5 / 24 * ${grown('purser_security_events_total{event="api_key_used"}', '1d', ' by (reason)')}`,
    summary: 'API keys are used five times as often as usual, with the permission {{ $labels.reason }}.',
    test: {
      fires: { 'purser_security_events_total{event="api_key_used",reason="users:read"}': '0x1400 0+40x60' },
      quiet: { 'purser_security_events_total{event="api_key_used",reason="users:read"}': '0+40x1500' },
      labels: { reason: 'users:read' },
      after: 1450,
    },
  },
  {
    name: 'PurserSignInsRejected',
    group: 'security',
    severity: 'ticket',
    for: '10m',
    expr: 'sum(rate(purser_security_events_total{event="sign_in_rejected"}[10m])) > 1',
    summary: 'Many sign-ins are rejected.',
    test: {
      fires: { 'purser_security_events_total{event="sign_in_rejected",reason="INVALID_SIGNATURE"}': '0+90x40' },
      quiet: { 'purser_security_events_total{event="sign_in_rejected",reason="INVALID_SIGNATURE"}': '0+20x40' },
    },
  },
  {
    name: 'PurserUnsignedDecision',
    group: 'security',
    severity: 'page',
    expr: `${grown('purser_security_events_total{event="access_denied",reason="DECISION_NOT_SIGNED"}', '10m')} > 0`,
    summary: 'Somebody tried to make an operator decision without a valid signature.',
    test: {
      fires: { 'purser_security_events_total{event="access_denied",reason="DECISION_NOT_SIGNED"}': once },
      quiet: { 'purser_security_events_total{event="access_denied",reason="DECISION_NOT_SIGNED"}': never },
      after: 12,
    },
  },
  {
    name: 'PurserOperatorsDenied',
    group: 'security',
    severity: 'ticket',
    expr: `${grown('purser_security_events_total{event="access_denied",reason=~"SECOND_PERSON_REQUIRED|ORIGIN_NOT_ALLOWED|ROLE_NOT_PERMITTED"}', '1h', ' by (reason)')} > 5`,
    summary: 'Requests with the session of an operator are denied: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_security_events_total{event="access_denied",reason="ORIGIN_NOT_ALLOWED"}': '0+1x60' },
      quiet: { 'purser_security_events_total{event="access_denied",reason="ORIGIN_NOT_ALLOWED"}': once },
      labels: { reason: 'ORIGIN_NOT_ALLOWED' },
      after: 50,
    },
  },
  {
    name: 'PurserAccessDenied',
    group: 'security',
    severity: 'ticket',
    for: '10m',
    expr: 'sum by (reason) (rate(purser_security_events_total{event="access_denied",reason=~"NOT_PERMITTED|ACCESS_REVOKED|SANDBOX_UNAUTHORIZED|INVALID_API_KEY|OPERATOR_UNAUTHORIZED"}[10m])) > 1',
    summary: 'Requests are denied: {{ $labels.reason }}.',
    test: {
      fires: { 'purser_security_events_total{event="access_denied",reason="NOT_PERMITTED"}': '0+90x40' },
      quiet: { 'purser_security_events_total{event="access_denied",reason="TOKEN_EXPIRED"}': '0+90x40' },
      labels: { reason: 'NOT_PERMITTED' },
    },
  },
  {
    name: 'PurserRateLimited',
    group: 'security',
    severity: 'ticket',
    for: '10m',
    expr: 'sum(rate(purser_security_events_total{event="rate_limited"}[10m])) > 5',
    summary: 'Clients have exceeded the rate limits for more than ten minutes.',
    test: {
      fires: { 'purser_security_events_total{event="rate_limited",reason="RATE_LIMITED"}': '0+400x40' },
      quiet: { 'purser_security_events_total{event="rate_limited",reason="RATE_LIMITED"}': '0+100x40' },
    },
  },
]
