import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { publicId } from '../../src/webhooks/rules.ts'
import { startPostgres } from '../proof/processes.ts'
import { newPartner } from '../support/partner.ts'
import { httpClient } from '../support/service.ts'
import { startReceiver, validSignatures } from '../support/vendors/webhook-receiver.ts'
import { checkBooks, unpaidWithdrawals } from './books.ts'
import { type Ground, startGround } from './ground.ts'
import { startLoad } from './load.ts'
import { drill, say } from './needs.ts'
import { failedDecisions, report } from './report.ts'

/**
 * The clock of one of two API processes jumps: forward and back by 45 seconds, then by an hour. Then the clock of one
 * of two workers jumps by an hour, forward and back.
 */
const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
const [hour, day] = [3600, 86_400]

drill(
  'clocks that jump cause no wrong decision, no second payment and no lost webhook',
  {
    programs: ['/usr/bin/faketime'],
  },
  async () => {
    const ground = await startGround()
    try {
      const postgres = await startPostgres()
      ground.onStop(() => postgres.remove())
      const { connection } = postgres
      const client = new pg.Client(connection)
      await client.connect()
      ground.onStop(() => client.end())
      const count = async (sql: string) => Number((await client.query<{ count: string }>(sql)).rows[0]?.count)
      const [ofApi, ofWorker] = [await newClock(ground, 'api'), await newClock(ground, 'worker')]
      const right = await ground.start(connection, { ROLES: 'api' })
      const wrong = await ground.start(connection, { ROLES: 'api', ...ofApi.env })
      await ground.start(connection, { ROLES: 'worker,watcher' })
      await ground.start(connection, { ROLES: 'worker,watcher', ...ofWorker.env })
      const service = httpClient(right.url)
      const { partnerId, endpointId, accepted, rejected } = await newEndpoint(ground, service)
      const targets = [{ url: right.url }, { url: wrong.url }]
      const load = await startLoad(ground, right.url, () => targets, { partnerId })
      await load.more(100)
      for (const offset of ['+45', '-45', '+0']) {
        say(`the clock of an API process is at ${offset} seconds`)
        await ofApi.set(offset)
        await load.more(100)
      }
      expect(failedDecisions(load.seen)).toEqual([])
      say('the clock of an API process is an hour fast')
      await ofApi.set(`+${hour}`)
      // The processor gets 401 ISSUER_TIMESTAMP_REFUSED from this process, and repeats the message at the other one.
      await expect.poll(() => load.seen.filter(({ result }) => result.startsWith('401')).length).toBeGreaterThan(20)
      say('the operator takes the process out')
      targets.pop()
      await load.more(50)
      const aheadOfApi = await makeDue(client)

      say('the clock of a worker is an hour fast')
      const attempts = load.seen.length
      const open = await unpaidWithdrawals(ground, load)
      await ofWorker.set(`+${hour}`)
      // A partner rejects the webhooks that this worker signs. The worker whose clock is right delivers others.
      await expect.poll(() => rejected.size).toBeGreaterThan(0)
      await load.more(150)
      await expect
        .poll(async () => (await unpaidWithdrawals(ground, load)).filter((id) => open.includes(id)))
        .toEqual([])
      say('the operator corrects the clock')
      await ofWorker.set('+0')
      await load.more(50)
      const aheadOfWorker = await makeDue(client)
      await load.more(50)
      await load.stop()
      // No card decision depends on the clock of a worker.
      expect(failedDecisions(load.seen.slice(attempts))).toEqual([])
      const books = await checkBooks(ground, load, { connection })

      say('an hour later')
      await service.advance(hour)
      const unsent = `select (select count(*) from event where due_at is not null)
      + (select count(*) from webhook_delivery where status = 'pending') as count`
      await expect.poll(() => count(unsent)).toBe(0)
      const dead = `select count(*) from webhook_delivery where status = 'dead'`
      const deadLetters = await count(dead)
      const resent = await ground.command('operator', connection, 'webhooks', 'resend', endpointId, 'a clock was fast')
      expect(resent.code, resent.output).toBe(0)
      await expect.poll(async () => (await count(unsent)) + (await count(dead))).toBe(0)
      const events = await client.query<{ id: string }>('select event_id as id from partner_event')
      expect(events.rows.map(({ id }) => publicId(id)).filter((id) => !accepted.has(id))).toEqual([])

      say('a week later')
      const holds = await count(`select count(*) from card_transaction where status = 'pending'`)
      const expiries = `select count(*) from card_message where type = 'expiry'`
      expect(await count(expiries)).toBe(0)
      await service.advance(7 * day)
      await expect.poll(() => count(expiries)).toBe(holds)
      const { code, output } = await ground.command('reconcile', connection)
      expect(code, output).toBe(0)
      await report('clock-step', {
        load,
        books,
        figures: {
          'Rows that the API process dated ahead, and that the operator made due': aheadOfApi,
          'Rows that the worker dated ahead, and that the operator made due': aheadOfWorker,
          'Webhooks with a timestamp in the future, rejected by the partner and sent again': String(deadLetters),
          'Events of the whole drill, each accepted by the partner': String(events.rows.length),
          'Holds that ended early; holds that ended after a week': `0; ${holds}`,
        },
      })
    } finally {
      await ground.stop()
    }
  },
)

/** Returns the settings of a process whose clock the drill sets. */
async function newClock({ folder }: Ground, name: string) {
  const file = join(folder, `time-${name}`)
  const set = (offset: string) => writeFile(file, offset)
  await set('+0')
  const cached = { FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
  return { set, env: { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, ...cached } }
}

/** Creates a partner whose server rejects deliveries without a valid signature of the last five minutes. */
async function newEndpoint(ground: Ground, service: ReturnType<typeof httpClient>) {
  const partner = await newPartner(service)
  const receiver = await startReceiver()
  ground.onStop(receiver.close)
  const [accepted, rejected] = [new Set<string>(), new Set<string>()]
  const made = await partner.ask('POST', '/webhooks', { url: receiver.url })
  if (made.status !== 201) throw new Error(made.text)
  const { endpointId, secret } = made.body
  receiver.respondWith((_request, response, received) => {
    const isValid = validSignatures(received, secret) > 0
    const ids = isValid ? accepted : rejected
    ids.add(received.event.id)
    response.writeHead(isValid ? 204 : 400).end()
  })
  return { partnerId: partner.partnerId, endpointId, accepted, rejected }
}

/** Makes due the rows that a fast clock has dated ahead, as the guide says. Returns their counts. */
async function makeDue(client: pg.Client): Promise<string> {
  const guide = await readFile(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
  const counts: string[] = []
  for (const [table, name] of Object.entries({
    withdrawal: 'withdrawals',
    incoming_transfer: 'transfers',
    deposit: 'deposits',
  })) {
    const sql = `update ${table} set due_at = now() where due_at > now() + interval '5 minutes';`
    expect(guide.split('\n')).toContain(sql)
    counts.push(`${(await client.query(sql)).rowCount} ${name}`)
  }
  return counts.join(', ')
}
