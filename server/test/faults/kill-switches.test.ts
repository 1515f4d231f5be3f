import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { createLocalSigner } from '../../src/providers/payout-signer/local.ts'
import { killSwitches } from '../../src/switches/rules.ts'
import { type Process, startProcess } from '../proof/processes.ts'
import { type PayoutChain, startPayoutChain } from '../support/chain/payout-chain.ts'
import { runOperator } from '../support/operator.ts'
import { createTestDatabase, httpClient, type Reply, startService, type TestService } from '../support/service.ts'
import { eure, type Person, populate } from '../support/world.ts'

const privateKey: Hex = `0x${'24'.repeat(32)}`

/** Two real processes with workers, which share a database and pay on a real chain. The test queries a third. */
let chain: PayoutChain
let observer: TestService
const processes: Process[] = []
beforeAll(async () => {
  chain = await startPayoutChain(await createLocalSigner(privateKey).address())
  await chain.anvil.rpc('evm_setAutomine', [true])
  observer = await startService({ connection: await createTestDatabase(), worker: false, env: chain.env })
  const { chainId, url } = chain.anvil
  const env = {
    ...chain.env,
    CHAIN: 'evm',
    ROLES: 'api,worker',
    [`RPC_URL_${chainId}`]: url,
    [`FINALITY_${chainId}`]: '2',
    SIGNER_KEY: privateKey,
    // A busy machine must not turn purchases into declines.
    ISSUER_DECISION_MILLISECONDS: '30000',
    ISSUER_ANSWER_MILLISECONDS: '30000',
  }
  processes.push(await startProcess(observer.connection, env), await startProcess(observer.connection, env))
})
afterAll(async () => {
  for (const process of processes) await process.kill('SIGTERM')
  await observer?.stop()
  await chain?.anvil.stop()
})

async function flip(name: string, state: 'on' | 'off'): Promise<void> {
  const flipped = await runOperator(observer, ['switch', name, state, '--reason', 'a', 'drill'])
  expect(flipped).toEqual({ code: 0, output: `The switch ${name} is ${state}.\n` })
}

const sendTo = (url: string, { cardId }: Person, type: string, amount: string, code: string): Promise<Reply> => {
  const body = { transaction_type: type, card_id: cardId, amount, currency: 'EUR', authorization_code: code }
  return httpClient(url).sandbox('POST', '/transactions', body)
}

/** An authorization of the load, the process that received it, and its outcome: `approved` or the decline code. */
type Sent = { readonly url: string; readonly sentAt: number; readonly outcome: string }

/** Sends authorizations of 0.01 euros in two concurrent lanes per process. */
function startLoad(holder: Person) {
  const sent: Sent[] = []
  let isOver = false
  const lane = async (url: string, name: string) => {
    for (let i = 0; !isOver; i++) {
      const sentAt = performance.now()
      const code = `${name}${String(i).padStart(5, '0')}`
      const { status, text, body } = await sendTo(url, holder, 'authorization', '0.01', code)
      sent.push({ url, sentAt, outcome: status === 200 ? (body.denial_code ?? body.status) : text })
    }
  }
  const lanes = Promise.all(
    processes.flatMap(({ url }, i) => [lane(url, `${i}`), lane(url, `${i + processes.length}`)]),
  )
  return {
    approved: () => sent.filter(({ outcome }) => outcome === 'approved').length,
    /** Returns the different outcomes of the authorizations that were sent after a moment. */
    outcomes: (since = 0) =>
      [...new Set(sent.flatMap(({ sentAt, outcome }) => (sentAt > since ? outcome : [])))].sort(),
    /** Waits until each process has given the outcome to 20 authorizations that were sent after a moment. */
    async waitFor(outcome: string, since = performance.now()): Promise<void> {
      const countAt = (wanted: string) =>
        sent.filter((one) => one.url === wanted && one.sentAt > since && one.outcome === outcome).length
      await expect.poll(() => Math.min(...processes.map(({ url }) => countAt(url)))).toBeGreaterThanOrEqual(20)
    },
    async end(): Promise<void> {
      isOver = true
      await lanes
    },
  }
}

async function assertCleanBooks(): Promise<void> {
  expect((await checkAll(observer.as('reader'))).firstBadRows).toEqual([])
}

test('two processes under load approve no authorization once approvals are switched off, and book everything else', async () => {
  const { alice } = await populate(observer, { eur: 1000, card: true })
  const load = startLoad(alice)
  try {
    await load.waitFor('approved')
    const codes = Array.from({ length: 8 }, (_, i) => `OPENA${i}`)
    for (const code of codes) {
      const opened = await sendTo(observer.url, alice, 'authorization', '10.00', code)
      expect(opened.body, opened.text).toMatchObject({ status: 'approved' })
    }

    await flip('card-approvals', 'off')
    const offAt = performance.now()
    for (const [i, code] of codes.entries()) {
      const url = processes[i % 2]?.url ?? ''
      const booked = await sendTo(url, alice, i < 4 ? 'clearing' : 'reversal', '10.00', code)
      expect([booked.status, booked.body.status], booked.text).toEqual([200, 'approved'])
    }
    await load.waitFor('OFF', offAt)
    expect(load.outcomes(offAt)).toEqual(['OFF'])

    await flip('card-approvals', 'on')
    await load.waitFor('approved')
  } finally {
    await load.end()
  }
  expect(load.outcomes()).toEqual(['OFF', 'approved'])
  const held = BigInt(load.approved())
  expect(await alice.money()).toEqual({ own: 960_00n - held, held, network: 40_00n })
  await assertCleanBooks()
})

test('withdrawals requested under load while payouts are off stay unsigned, and are paid exactly once afterwards', async () => {
  const { alice, bob, carol } = await populate(observer, { eur: 1000, card: true }, 'alice', 'bob', 'carol')
  const nonce = () => chain.anvil.client.getTransactionCount({ address: chain.signer })
  const signed = () => observer.ctx.db.query('select nonce from payout_transaction')
  const statuses = async () =>
    (await Promise.all([alice, bob].map((person) => person.statement())))
      .flat()
      .flatMap((item) => (item.type === 'withdrawal' ? item.status : []))
  /** Lets both processes work on everything that is due within the next minute. */
  const work = async () => {
    await Promise.all(processes.map(({ url }) => httpClient(url).advance(31)))
    await chain.mineToFinality()
  }

  await flip('payouts', 'off')
  const load = startLoad(carol)
  try {
    const requested = await Promise.all(
      [alice, bob].flatMap((person) => [1, 2, 3].map((n) => person.withdraw(eure(n)))),
    )
    expect(requested.map(({ status }) => status)).toEqual(Array(6).fill(201))
    for (let round = 0; round < 5; round++) await work()
    expect(await statuses()).toEqual(Array(6).fill('pending'))
    expect(await signed()).toEqual([])
    expect(await nonce()).toBe(0)
    // The other switch is on.
    await load.waitFor('approved')

    await flip('payouts', 'on')
    const workThenRead = async () => {
      await work()
      return statuses()
    }
    await expect.poll(workThenRead, { timeout: 120_000 }).toEqual(Array(6).fill('completed'))
    for (let round = 0; round < 3; round++) await work()
  } finally {
    await load.end()
  }
  expect(load.outcomes()).toEqual(['approved'])
  for (const { wallet } of [alice, bob]) {
    const paid = await chain.paidTo(wallet.address)
    expect(paid.toSorted((one, other) => Number(one - other))).toEqual([1, 2, 3].map(eure))
  }
  expect(await nonce()).toBe(6)
  await assertCleanBooks()
})

/** Returns the state of each switch that a process reports, and the number of its events by change. */
async function reportedBy(url: string): Promise<Record<string, number>> {
  const { text } = await httpClient(url).request('GET', '/metrics')
  const event = /^purser_security_events_total\{event="kill_switch_changed",reason="([^"]+)"\} (\d+)$/gm
  const state = /^purser_kill_switch\{switch="([^"]+)"\} (\d)$/gm
  const found = [...text.matchAll(event), ...text.matchAll(state)]
  return Object.fromEntries(found.map(([, name, value]) => [name, Number(value)]))
}

test('a process that only serves requests reports a change of a switch before its next authorization', async () => {
  const idle = await startProcess(observer.connection, { ...chain.env, CHAIN: 'simulated', ROLES: 'api' })
  try {
    const reported = () => reportedBy(idle.url)
    await expect.poll(reported).toMatchObject({ 'card-approvals': 1, payouts: 1 })
    await flip('card-approvals', 'off')
    await expect.poll(reported).toMatchObject({ 'card-approvals': 0, 'card-approvals off': 1 })
    await flip('card-approvals', 'on')
    await expect.poll(reported).toMatchObject({ 'card-approvals': 1, 'card-approvals on': 1 })
  } finally {
    await idle.kill('SIGTERM')
  }
})

test('every process reports each change of each switch once, as a security event and as a metric', async () => {
  const changes = killSwitches.flatMap((name) => [`${name} off`, `${name} on`])
  const reported = () => Promise.all(processes.map(({ url }) => reportedBy(url)))
  const workAndRead = async () => {
    await Promise.all(processes.map(({ url }) => httpClient(url).advance(11)))
    return reported()
  }
  const patience = { interval: 500 }
  await expect.poll(workAndRead, patience).toMatchObject(processes.map(() => ({ 'card-approvals': 1, payouts: 1 })))
  const before = await reported()
  for (const state of ['off', 'on'] as const) {
    for (const name of killSwitches) await flip(name, state)
    const seen = Object.fromEntries(killSwitches.map((name) => [name, state === 'on' ? 1 : 0]))
    await expect.poll(workAndRead, patience).toMatchObject(processes.map(() => seen))
  }
  const after = await reported()
  expect(after).toMatchObject(
    before.map((counts) => Object.fromEntries(changes.map((change) => [change, (counts[change] ?? 0) + 1]))),
  )
})
