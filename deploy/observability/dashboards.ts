/**
 * The dashboards of Grafana, one row for each panel. A panel takes its title, its legend and the form of its query from
 * the definition of the metric in `server/src/platform/observability/metrics.ts`. `npm run build` writes them to
 * `grafana/`.
 *
 * A counter is shown as a rate. A histogram is shown as percentiles, or as a rate if the panel tells labels apart. A
 * gauge is shown by process, or as its maximum over the processes. Only connections to the database are added up.
 */
export type Panel = {
  readonly metric: string
  /** The labels to tell apart. Without it, all labels of the metric. */
  readonly by?: readonly string[]
  /** Selects some of the series, such as `outcome="declined"`. */
  readonly where?: string
  /** Replaces the help text of the metric as the title. */
  readonly title?: string
}

export type Dashboard = { readonly name: string; readonly title: string; readonly panels: readonly Panel[] }

export const dashboards: readonly Dashboard[] = [
  {
    name: 'programme',
    title: 'Purser: programme',
    panels: [
      { metric: 'purser_http_request_seconds', by: ['status'], title: 'Requests, by status' },
      {
        metric: 'purser_http_request_seconds',
        by: [],
        where: 'route!="/partner/events"',
        title: 'Time to a response, without waits for events',
      },
      { metric: 'purser_card_decisions_total', by: ['outcome'], title: 'Card messages, by outcome' },
      { metric: 'purser_payout_queue' },
      { metric: 'purser_waiting_screenings' },
      { metric: 'purser_open_reviews' },
      { metric: 'purser_debt_amount' },
      { metric: 'purser_reconcile_bad_rows' },
      { metric: 'purser_reconcile_runs_total' },
      { metric: 'purser_reconcile_age_seconds', by: ['instance'] },
      { metric: 'purser_role', by: ['role', 'instance'], title: 'Processes, by role' },
      { metric: 'purser_custody_missing' },
      { metric: 'purser_custody_checks_total' },
      { metric: 'purser_kill_switch' },
      { metric: 'purser_break_glass_decisions' },
      { metric: 'purser_security_events_total', by: ['event'] },
      { metric: 'process_resident_memory_bytes', by: ['instance'], title: 'Memory of each process' },
      { metric: 'process_cpu_seconds_total', by: ['instance'], title: 'Processor time of each process' },
      { metric: 'nodejs_eventloop_lag_p99_seconds', by: ['instance'], title: 'Delay of the event loop, p99' },
    ],
  },
  {
    name: 'cards',
    title: 'Purser: card decisions',
    panels: [
      { metric: 'purser_card_decision_seconds', by: [], title: 'Time to a decision' },
      { metric: 'purser_card_decisions_total', by: ['outcome'], title: 'Card messages, by outcome' },
      { metric: 'purser_card_decisions_total', by: ['type'], title: 'Card messages, by type' },
      { metric: 'purser_card_decisions_total', by: ['code'], where: 'outcome="declined"', title: 'Declines, by code' },
      { metric: 'purser_card_alarms_total' },
      { metric: 'purser_event_conflicts_total' },
      { metric: 'purser_open_reviews' },
      { metric: 'purser_open_review_oldest_seconds' },
      { metric: 'purser_overdue_holds' },
      { metric: 'purser_overdue_cards' },
      { metric: 'purser_debt_users' },
      { metric: 'purser_debt_amount' },
    ],
  },
  {
    name: 'chains',
    title: 'Purser: chains and payouts',
    panels: [
      { metric: 'purser_watcher_block', title: 'Block heights: head, last read block and last final block' },
      { metric: 'purser_watcher_head_age_seconds' },
      { metric: 'purser_watched_transfers_total' },
      { metric: 'purser_watcher_failures_total' },
      { metric: 'purser_watcher_alarms_total' },
      { metric: 'purser_reorganizations_total' },
      { metric: 'purser_lost_deposits_total' },
      { metric: 'purser_unknown_arrivals' },
      { metric: 'purser_waiting_screening_oldest_seconds' },
      { metric: 'purser_screening_alarms_total' },
      { metric: 'purser_payout_queue' },
      {
        metric: 'purser_payout_queue_oldest_seconds',
        title: 'Waiting time of the oldest open withdrawal or return, by status',
      },
      { metric: 'purser_stuck_payouts' },
      { metric: 'purser_payout_funds' },
      { metric: 'purser_payout_transactions' },
      { metric: 'purser_payout_alarms_total' },
      { metric: 'purser_fee_bumps_total' },
      { metric: 'purser_sweeps_total' },
      { metric: 'purser_sweep_gas_total' },
    ],
  },
  {
    name: 'webhooks',
    title: 'Purser: webhooks',
    panels: [
      { metric: 'purser_webhook_attempts_total' },
      { metric: 'purser_webhooks_overdue_seconds' },
      { metric: 'purser_webhooks_waiting' },
      { metric: 'purser_webhooks_dead' },
      { metric: 'purser_webhook_endpoints_disabled_total' },
    ],
  },
  {
    name: 'database',
    title: 'Purser: database',
    panels: [
      { metric: 'purser_database_connections', by: ['state'], title: 'Connections of all processes, by state' },
      {
        metric: 'purser_database_connections',
        by: ['instance', 'pool'],
        where: 'state="busy"',
        title: 'Busy connections, by pool',
      },
      { metric: 'purser_database_alarms_total' },
      {
        metric: 'purser_http_request_seconds',
        by: [],
        where: 'status=~"5.."',
        title: 'Requests that failed: time to their response',
      },
      {
        metric: 'purser_http_request_seconds',
        by: ['route'],
        where: 'status="503"',
        title: 'Responses with 503, by route',
      },
    ],
  },
]
