import type { Row } from '../report.ts'
import type { Sample } from './samples.ts'

/**
 * Judges the growth of a soak. It compares the median of the last quarter with that of the second quarter, so neither
 * the warm-up nor single peaks count. For the heap, it compares the lowest figures instead.
 */
const measure = 'growth'
const mebibyte = 2 ** 20
/** Tables whose rows are the history: they grow with the traffic. All other tables must keep their size. */
const historyTables: ReadonlySet<string> = new Set([
  ...['movement', 'posting', 'movement_seal', 'statement_item', 'idempotency_key', 'directory'],
  ...['card_message', 'card_transaction', 'card_transaction_part', 'late_decline'],
  ...['incoming_transfer', 'deposit', 'sweep', 'withdrawal', 'payout_transaction', 'payout_fee_bump'],
  ...['partner_event', 'webhook_delivery', 'webhook_attempt', 'partner_request'],
])
/** Autovacuum starts at a fifth of dead rows, and only once a minute. */
const maxDeadShare = 0.4
/** In a smaller table, the traffic can replace all rows between two visits of autovacuum. */
const minRowsToJudge = 5000

export function judgeGrowth(samples: readonly Sample[]): Row[] {
  const [first] = samples
  if (first === undefined) throw new Error('there are no samples')
  const quarter = Math.floor(samples.length / 4)
  const early = samples.slice(quarter, 2 * quarter)
  const late = samples.slice(-quarter)
  const medians = (read: (sample: Sample) => number) => ({
    before: median(early.map(read)),
    after: median(late.map(read)),
  })
  const lowest = (read: (sample: Sample) => number) => ({
    before: Math.min(...early.map(read)),
    after: Math.min(...late.map(read)),
  })
  const row = (what: string, { before, after }: Change, unit: Row['unit'], slack: number): Row => {
    const atMost = before * 1.1 + slack
    return { measure, what: `${what}, from ${before.toPrecision(3)}`, figure: after, unit, goal: { atMost } }
  }

  const rows: Row[] = []
  for (const role of Object.keys(first.processes)) {
    const of = (read: (one: Sample['processes'][string]) => number) => (sample: Sample) => {
      const one = sample.processes[role]
      return one === undefined ? Number.NaN : read(one)
    }
    rows.push(
      row(`${role}: resident memory`, medians(of(({ megabytes }) => megabytes)), 'MB', 0),
      // The lowest figure is the one closest to a garbage collection.
      row(`${role}: lowest heap`, lowest(of(({ heapMegabytes }) => heapMegabytes)), 'MB', 2),
      row(`${role}: file descriptors`, medians(of(({ fileDescriptors }) => fileDescriptors)), '', 2),
    )
  }
  rows.push(
    row(
      'PostgreSQL: memory of the sessions',
      medians(({ postgresMegabytes }) => postgresMegabytes),
      'MB',
      0,
    ),
    row(
      'PostgreSQL: connections',
      medians(({ connections }) => connections),
      '',
      1,
    ),
    row(
      'webhooks: delay after the event, p99',
      medians(({ webhookLagMilliseconds }) => webhookLagMilliseconds),
      'ms',
      500,
    ),
  )
  for (const queue of Object.keys(first.queues)) {
    rows.push(
      row(
        `queue of ${queue}`,
        medians(({ queues }) => queues[queue] ?? 0),
        '',
        20,
      ),
    )
  }
  return [...rows, ...judgeTables(first, medians)]
}

type Change = { readonly before: number; readonly after: number }

function judgeTables(first: Sample, medians: (read: (sample: Sample) => number) => Change): Row[] {
  const rows: Row[] = []
  let worstDeadShare = 0
  let worstDeadTable = 'none'
  let [before, after] = [0, 0]
  for (const name of Object.keys(first.tables)) {
    const size = medians(({ tables }) => tables[name]?.bytes ?? 0)
    const live = medians(({ tables }) => tables[name]?.live ?? 0)
    const dead = medians(({ tables }) => tables[name]?.dead ?? 0)
    const share = dead.after / Math.max(1, dead.after + live.after)
    if (dead.after + live.after >= minRowsToJudge && share > worstDeadShare) {
      worstDeadShare = share
      worstDeadTable = name
    }
    if (historyTables.has(name)) continue
    before += size.before
    after += size.after
    // A table may still be growing to the size at which autovacuum holds it.
    const atMost = size.before * 1.2 + mebibyte
    if (size.after <= atMost) continue
    const what = `${name}: size, from ${(size.before / mebibyte).toPrecision(3)}`
    rows.push({ measure, what, figure: size.after / mebibyte, unit: 'MB', goal: { atMost: atMost / mebibyte } })
  }
  return [
    ...rows,
    {
      measure,
      what: `tables without history: size, from ${(before / mebibyte).toPrecision(3)}`,
      figure: after / mebibyte,
      unit: 'MB',
      goal: { atMost: (before * 1.2) / mebibyte + 1 },
    },
    {
      measure,
      what: `dead rows of the worst table, ${worstDeadTable}`,
      figure: worstDeadShare * 100,
      unit: '%',
      goal: { atMost: maxDeadShare * 100 },
    },
  ]
}

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
