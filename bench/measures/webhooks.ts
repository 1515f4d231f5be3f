import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../../server/src/config/config.ts'
import { newId } from '../../server/src/lib/id.ts'
import { newSeed } from '../../server/src/webhooks/endpoint-keys.ts'
import { type Ground, quiet } from '../ground.ts'
import { numberedId } from '../people.ts'
import { startRole, startWebhookReceiver } from '../processes.ts'
import type { Row } from '../report.ts'

const endpoints = 100
const dead = 10
const stepMilliseconds = 50
/** The time until connections are open and dead endpoints are known. */
const warmUpSeconds = 5
const refusing = 'http://127.0.0.1:9/'

type Figures = { deliveries: number; endpoints: number; p50: number; p99: number; max: number }

/**
 * Writes events at a steady rate for the users of a hundred partners with one endpoint each. Of the endpoints, five are
 * unreachable and five never respond. The figure is the delay of the other ninety.
 */
export async function measureWebhooks({ settings, database, clocks, people }: Ground): Promise<Row[]> {
  const { client } = database
  const receiver = await startWebhookReceiver()
  // The service of the ground does no due work.
  const worker = await startRole('worker', { ...quiet, DATABASE_URL: database.url })
  const since = new Date()
  const partners = Array.from({ length: endpoints }, (_, i) => numberedId('partner', i))
  const urlOf = (i: number) => {
    if (i >= dead) return `${receiver.url}/partner-${i}`
    return i % 2 === 0 ? refusing : `${receiver.url}/hang-${i}`
  }
  await client.query(
    `insert into partner (partner_id, name, status, created_at) select partner_id, 'Bench', 'active', $2
     from unnest($1::uuid[]) as p (partner_id)`,
    [partners, since],
  )
  await client.query(
    `insert into webhook_endpoint (endpoint_id, partner_id, url, events, description, status, key_seeds, created_at)
     select partner_id, partner_id, url, '{*}', '', 'enabled', array[seed], $3
     from unnest($1::uuid[], $2::text[], $4::text[]) as e (partner_id, url, seed)`,
    [partners, partners.map((_, i) => urlOf(i)), since, partners.map((id) => newSeed(readConfig({}).secrets, id))],
  )

  const seqs = people.map(() => 0)
  let written = 0
  async function write(count: number): Promise<void> {
    const at = new Date()
    const rows = Array.from({ length: count }, () => {
      const number = written++ % people.length
      const seq = (seqs[number] ?? 0) + 1
      seqs[number] = seq
      return { userId: people[number]?.userId, seq, partnerId: partners[number % partners.length], eventId: newId(at) }
    })
    await client.query(
      `insert into event (user_id, seq, event_id, partner_id, type, data, created_at, due_at)
       select u, s, e, p, 'deposit.approved', $5, $6, $6 from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[]) as r (u, s, e, p)`,
      [
        rows.map((row) => row.userId),
        rows.map((row) => row.seq),
        rows.map((row) => row.eventId),
        rows.map((row) => row.partnerId),
        item,
        at,
      ],
    )
  }
  /** Writes events at a constant rate. Returns the seconds that passed. Late steps are made up for. */
  async function writeFor(seconds: number): Promise<number> {
    const [startedAt, before] = [performance.now(), written]
    for (let due = 0; due < settings.deliveries * seconds; ) {
      const elapsed = (performance.now() - startedAt) / 1000
      due = Math.min(settings.deliveries * elapsed, settings.deliveries * seconds)
      const missing = Math.floor(due) - (written - before)
      if (missing > 0) await write(missing)
      await delay(stepMilliseconds)
    }
    return (performance.now() - startedAt) / 1000
  }
  const figures = async () => (await (await fetch(`${receiver.url}/`)).json()) as Figures

  try {
    await writeFor(warmUpSeconds)
    await delay(1000)
    await figures()
    const { server, postgres } = clocks(worker)
    const [serverBefore, postgresBefore] = [server(), postgres()]
    const seconds = await writeFor(settings.seconds * 5)
    const [serverSeconds, postgresSeconds] = [server() - serverBefore, postgres() - postgresBefore]
    await delay(1500)
    const { deliveries, p50, p99, max, endpoints: reached } = await figures()
    if (deliveries === 0) throw new Error('no webhook was delivered')
    const row = { measure: 'webhooks' }
    const live = (endpoints - dead) / endpoints
    return [
      {
        ...row,
        what: `deliveries accepted, of ${Math.round(settings.deliveries * live)} /s to working endpoints`,
        figure: deliveries / seconds,
        unit: '/s',
        goal: { atLeast: settings.deliveries * live * 0.99 },
      },
      { ...row, what: 'delay after the event, maximum', figure: max, unit: 'ms', goal: { atMost: 1000 } },
      { ...row, what: 'delay after the event, p99', figure: p99, unit: 'ms' },
      { ...row, what: 'delay after the event, p50', figure: p50, unit: 'ms' },
      {
        ...row,
        what: 'working endpoints that received their deliveries',
        figure: (reached / (endpoints - dead)) * 100,
        unit: '%',
      },
      { ...row, what: 'worker CPU per delivery', figure: (serverSeconds / deliveries) * 1e6, unit: 'µs' },
      { ...row, what: 'PostgreSQL CPU per delivery', figure: (postgresSeconds / deliveries) * 1e6, unit: 'µs' },
    ]
  } finally {
    await client.query('delete from webhook_endpoint')
    await worker.stop()
    await receiver.stop()
  }
}

/** The data of a deposit event. */
const item = JSON.stringify({
  type: 'deposit',
  id: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
  status: 'approved',
  amount: '100000000000000000000',
  currency: 'EURe',
  decimals: 18,
  fiatCurrency: 'EUR',
  isCredit: true,
  createdAt: '2026-01-31T09:30:00.000Z',
  description: 'Deposit',
  txHash: `0x${'a'.repeat(64)}`,
  fromAddress: '0xcB444e90D8198415266c6a2724b7900fb12FC56E',
  chainId: 31337,
})
