import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Process, startProcess } from '../proof/processes.ts'
import { createTestDatabase, httpClient, type Reply, startService, type TestService } from '../support/service.ts'
import { type Person, populate } from '../support/world.ts'
import { makeNextVersion, type Version } from './next-version.ts'

let observer: TestService
let next: Version
const running: Process[] = []
beforeAll(async () => {
  observer = await startService({ connection: await createTestDatabase(), worker: false })
  next = await makeNextVersion()
})
afterAll(async () => {
  for (const one of running) await one.kill()
  await observer?.stop()
  await next?.remove()
})

async function start(main?: string): Promise<Process> {
  // So that every process accepts access tokens that another one issued.
  const { tokenIssuer, tokenAudience } = observer.ctx.config
  const env = { TOKEN_ISSUER: tokenIssuer, TOKEN_AUDIENCE: tokenAudience }
  const started = await startProcess(observer.connection, env, main)
  running.push(started)
  return started
}

const purchase = ({ cardId }: Person, eventId: string) => ({
  transaction_type: 'authorization',
  card_id: cardId,
  amount: '0.10',
  currency: 'EUR',
  event_id: eventId,
})

/** A request, the process that received it, and its response. */
type Sent = { url: string; body: object; reply: Reply }

/** Sends purchases in three concurrent lanes, each to the newest process that accepts connections. */
function startLoad(holder: Person, urls: readonly string[]) {
  const sent: Sent[] = []
  let isOver = false
  const lane = async (name: number) => {
    for (let i = 0; !isOver; i++) {
      const body = purchase(holder, `lane ${name} ${i}`)
      for (const url of urls.toReversed()) {
        const reply = await httpClient(url)
          .sandbox('POST', '/transactions', body)
          .catch(() => null)
        if (reply === null) continue
        sent.push({ url, body, reply })
        break
      }
    }
  }
  const lanes = [1, 2, 3].map(lane)
  return {
    sent,
    async end() {
      isOver = true
      await Promise.all(lanes)
    },
  }
}

async function assertReads({ url }: Process, { token }: Person): Promise<void> {
  for (const path of ['/user/statement', '/user/balances/v2', '/user/deposits', '/user/withdrawals']) {
    expect(await httpClient(url).request('GET', path, { token })).toMatchObject({ status: 200 })
  }
}

test('the old version continues to work while the next version migrates the database, and after a rollback', {
  tags: ['fault-19'],
}, async () => {
  const { alice } = await populate(observer, { eur: 1000, card: true })
  const old = await start()
  const urls = [old.url]
  const { sent, end } = startLoad(alice, urls)
  const sendMore = async (url: string) => {
    const before = sent.length
    const isEnough = () => sent.slice(before).filter((one) => one.url === url).length >= 20
    await expect.poll(isEnough).toBe(true)
  }

  await sendMore(old.url)
  await assertReads(old, alice)
  const upgraded = await start(next.main)
  const newRows = await observer.ctx.db.query('select note from next_thing where next_count = 7')
  expect(newRows).toEqual([{ note: 'inserted by the next version' }])
  // The old process prepared its statements before the tables changed.
  await sendMore(old.url)
  await assertReads(old, alice)
  urls.push(upgraded.url)
  await sendMore(upgraded.url)
  await old.kill('SIGTERM')
  urls.shift()
  await delay(100)

  // Roll back to the old version.
  const restored = await start()
  urls.push(restored.url)
  await sendMore(restored.url)
  await assertReads(restored, alice)
  await upgraded.kill('SIGTERM')
  urls.shift()
  await end()

  expect(sent.filter(({ reply }) => reply.status !== 200).map(({ reply }) => reply.text)).toEqual([])
  for (const { body, reply } of sent) {
    expect((await httpClient(restored.url).sandbox('POST', '/transactions', body)).text).toBe(reply.text)
  }
  await restored.kill('SIGTERM')
  const held = BigInt(sent.length) * 10n
  expect(await alice.money()).toEqual({ own: 100_000n - held, held, network: 0n })
  await alice.assertBooks()
})
