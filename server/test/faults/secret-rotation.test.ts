import { createSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { sealUser } from '../../src/money/reconcile/seals.ts'
import { type Process, startProcess } from '../proof/processes.ts'
import { runMoneyCommand, runOperator } from '../support/operator.ts'
import { newPartner } from '../support/partner.ts'
import {
  createTestDatabase,
  httpClient,
  newWallet,
  type Reply,
  type RequestOptions,
  startService,
  type TestService,
} from '../support/service.ts'
import { validSignatures } from '../support/vendors/webhook-receiver.ts'
import { webhookStories } from '../support/webhook-story.ts'
import { type Person, populate } from '../support/world.ts'

const [old, next] = ['the master secret before its rotation', 'the master secret after its rotation']
/** A few rounds may take this long on a busy machine. */
const patience = { timeout: 300_000 }

let observer: TestService
const running = new Set<Process>()
const { newStory, deposit, closeReceivers } = webhookStories(() => observer)

beforeAll(async () => {
  observer = await startService({ connection: await createTestDatabase(), worker: false, env: { SECRET: old } })
})
afterAll(async () => {
  for (const one of running) await one.kill()
  await closeReceivers()
  await observer?.stop()
})

async function start(SECRET: string): Promise<Process> {
  // So that every process accepts access tokens that another one issued.
  const { tokenIssuer, tokenAudience } = observer.ctx.config
  const env = { SECRET, TOKEN_ISSUER: tokenIssuer, TOKEN_AUDIENCE: tokenAudience }
  const started = await startProcess(observer.connection, env)
  running.add(started)
  return started
}

/** The processes behind a load balancer, which picks each in turn. */
function balance(processes: Process[]) {
  let turn = 0
  const inFlight = new Map<Process, number>()
  async function send(act: (client: ReturnType<typeof httpClient>) => Promise<Reply>): Promise<Reply> {
    const target = processes[turn++ % processes.length]
    if (!target) throw new Error('no process is left')
    inFlight.set(target, (inFlight.get(target) ?? 0) + 1)
    try {
      return await act(httpClient(target.url))
    } finally {
      inFlight.set(target, (inFlight.get(target) ?? 1) - 1)
    }
  }
  return {
    request: (method: string, path: string, options?: RequestOptions) =>
      send((client) => client.request(method, path, options)),
    sandbox: (method: string, path: string, body?: unknown) => send((client) => client.sandbox(method, path, body)),
    /** Replaces one process by another with the given SECRET, as a rolling deployment does. */
    async restart(index: number, secret: string): Promise<void> {
      const before = processes[index]
      if (!before) throw new Error(`there is no process ${index}`)
      const replacement = await start(secret)
      processes[index] = replacement
      await expect.poll(() => inFlight.get(before) ?? 0, patience).toBe(0)
      await before.kill('SIGTERM')
      running.delete(before)
    },
  }
}

type Balancer = ReturnType<typeof balance>
type Step = { name: string; expected: number; reply: Reply }

/** Runs every use of SECRET once. Consecutive requests of a round reach different processes. */
async function round(to: Balancer, holder: Person, name: string): Promise<Step[]> {
  const steps: Step[] = []
  const note = async (step: string, expected: number, reply: Promise<Reply>) => {
    const got = await reply
    steps.push({ name: step, expected, reply: got })
    return got
  }
  const { token, cardId, wallet } = holder

  const stranger = newWallet()
  const { text } = await note('nonce', 200, to.request('GET', '/api/v1/auth/nonce'))
  const site = { chainId: 1, domain: 'localhost', uri: 'http://localhost/', version: '1' } as const
  const message = createSiweMessage({ ...site, address: stranger.address, nonce: text })
  const proof = { message, signature: await stranger.signMessage({ message }) }
  const signedIn = await note('sign-in', 200, to.request('POST', '/api/v1/auth/challenge', { body: proof }))
  const strangerToken = signedIn.body.token
  const email = `${stranger.address}@example.org`
  await note('email code', 200, to.request('POST', '/email-verification', { token: strangerToken, body: { email } }))
  const registration = { email, otp: '123456' }
  await note('registration', 201, to.request('POST', '/user', { token: strangerToken, body: registration }))

  const challengePath = `/pci/cards/${cardId}/challenge?action=view-pin`
  const { body } = await note('card challenge', 200, to.request('GET', challengePath, { token }))
  const { authorization, nonce } = body.message
  const signature = await wallet.signTypedData({ ...body, message: { authorization, nonce: BigInt(nonce) } })
  const view = { action: 'view-pin', nonce, signature }
  await note('card view', 201, to.request('POST', `/pci/cards/${cardId}/token`, { token, body: view }))

  const page = await note('statement', 200, to.request('GET', '/user/statement?limit=1', { token }))
  const { nextCursor } = page.body.pagination
  await note('second page', 200, to.request('GET', `/user/statement?cursor=${nextCursor}`, { token }))
  const purchase = { transaction_type: 'authorization', card_id: cardId, amount: '0.01', currency: 'EUR' }
  await note('purchase', 200, to.sandbox('POST', '/transactions', { ...purchase, event_id: name }))
  return steps
}

/** Repeats rounds in two concurrent lanes. */
function startTraffic(to: Balancer, holder: Person) {
  const steps: Step[] = []
  let rounds = 0
  let isOver = false
  const lane = async (name: number) => {
    for (let i = 0; !isOver; i++) {
      steps.push(...(await round(to, holder, `lane ${name} ${i}`)))
      rounds += 1
    }
  }
  const lanes = Promise.all([1, 2].map(lane))
  // A failure of a lane is reported when the traffic ends.
  lanes.catch(() => {})
  return {
    steps,
    /**
     * Waits until at least one more round has begun and ended. Of the next four rounds that end, two are of one lane,
     * and the second of these began after this call.
     */
    async more(): Promise<void> {
      const before = rounds
      await expect.poll(() => Promise.race([lanes, rounds >= before + 4]), patience).toBe(true)
    },
    async end(): Promise<void> {
      isOver = true
      await lanes
    },
  }
}

test('SECRET is rotated under load without a failed request, and the old value can be dropped', {
  tags: ['fault-19'],
  timeout: 900_000,
}, async () => {
  const { alice } = await populate(observer, { eur: 1000, card: true })
  for (let i = 0; i < 3; i++) await alice.deposit(10n ** 18n)
  await sealUser(observer.ctx, alice.userId)
  const { receiver, endpoint, newUser, partner } = await newStory()
  const customer = await newUser()
  for (const state of ['off', 'on'])
    await runMoneyCommand(observer, 'switch payouts <state> <reason>', state, 'a drill')
  const readCursor = async () =>
    (await observer.request('GET', '/user/statement?limit=1', { token: alice.token })).body.pagination.nextCursor
  const oldCursor = await readCursor()

  const processes = [await start(old), await start(old)]
  const to = balance(processes)
  const traffic = startTraffic(to, alice)
  const operator = (secret: string, ...words: string[]) => runOperator(observer, words, { SECRET: secret })
  const secondPage = () => to.request('GET', `/user/statement?cursor=${oldCursor}`, { token: alice.token })
  try {
    await traffic.more()
    for (const secret of [`${old},${next}`, `${next},${old}`]) {
      for (const index of [0, 1]) {
        await to.restart(index, secret)
        await traffic.more()
      }
    }
    for (let i = 0; i < processes.length; i++) expect((await secondPage()).status).toBe(200)

    // Without the old value, neither a process nor a command starts before everything is stored under the new one.
    await expect(start(next)).rejects.toThrow('SECRET does not list a value that data in this database depends on')
    expect(await operator(next, 'secrets', 'rotate')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^SECRET does not list a value/),
    })
    const counted = await operator(`${next},${old}`, 'secrets', 'list')
    expect(counted.output).toMatch(
      /: 1 signing keys, 1 webhook endpoints, [1-9]\d* seals and [1-9]\d* records of sealed logs\.\n$/,
    )
    expect(await operator(`${next},${old}`, 'secrets', 'rotate')).toMatchObject({
      code: 0,
      output: expect.stringContaining('Everything is stored under the first value of SECRET.'),
    })
    expect(await operator(`${next},${old}`, 'secrets', 'rotate')).toMatchObject({ code: 0 })
    await traffic.more()

    for (const index of [0, 1]) {
      await to.restart(index, next)
      await traffic.more()
    }
    await deposit(customer.userId)
    await receiver.waitForDeliveries(1)
  } finally {
    await traffic.end()
  }

  const unexpected = traffic.steps.filter(({ expected, reply }) => reply.status !== expected)
  expect(unexpected.map(({ name, reply }) => `${name}: ${reply.status} ${reply.text}`)).toEqual([])
  expect(traffic.steps.length).toBeGreaterThan(200)

  // Nothing depends on the old value, and receivers still verify with their first keys.
  for (const one of await receiver.waitForDeliveries(1)) {
    for (const key of [endpoint.secret, endpoint.publicKeys[0]]) expect(validSignatures(one, key)).toBe(1)
  }
  const shown = await to.request('GET', `/partner/webhooks/${endpoint.endpointId}`, { token: partner.token })
  expect(shown.body.publicKeys).toEqual(endpoint.publicKeys)
  expect((await secondPage()).body.error).toBe('INVALID_CURSOR')
  const after = await startService({ connection: observer.connection, worker: false, env: { SECRET: next } })
  try {
    for (const { userId } of [alice, customer]) await sealUser(after.ctx, userId)
    expect(await checkAll(after.as('reader'))).toMatchObject({ badRows: 0, firstBadRows: [] })
  } finally {
    await after.stop()
  }
})

test('a rotation leaves a forged seal or record unchanged and continues to require the old value of SECRET', async () => {
  const service = await startService({ worker: false, env: { SECRET: old } })
  const sql = (text: string, ...given: string[]) => service.ctx.db.query<{ found: string }>(text, given)
  try {
    const { alice } = await populate(service, { eur: 10 })
    await sealUser(service.ctx, alice.userId)
    const partner = await newPartner(service)
    for (const domain of ['one.example', 'two.example']) {
      await partner.ask('POST', '/domains', { domain, environment: 'sandbox' })
    }
    for (const state of ['off', 'on'])
      await runMoneyCommand(service, 'switch payouts <state> <reason>', state, 'a drill')

    await sql(`update movement_seal set mac = '\\x00' where user_id = $1`, alice.userId)
    await sql(`update partner_audit set actor = 'mallory' where seq = 2`)
    await sql(`update sealed_log set mac = '\\x00' where log = 'operator_decision'`)
    const forged = () => sql(`select partner_audit::text as found from partner_audit where seq = 2`)
    const before = await forged()
    const SECRET = `${next},${old}`
    const { code, output } = await runOperator(service, ['secrets', 'rotate'], { SECRET })
    const rejected = '1 seals and 2 records of sealed logs were not computed with any value of SECRET'
    expect([code, output]).toEqual([1, expect.stringContaining(rejected)])
    expect((await runOperator(service, ['secrets', 'list'], { SECRET })).output).toContain('1 seals and 2 records')
    expect(await forged()).toEqual(before)
    const config = { ...service.ctx.config, secrets: [next, old] as const }
    const { firstBadRows } = await checkAll({ ...service.as('reader'), config })
    expect(firstBadRows.map(({ table, key }) => `${table} ${key}`)).toEqual([
      expect.stringMatching(/^movement_seal/),
      'operator_decision operator_decision',
      `partner_audit partner_audit:${partner.partnerId} 2`,
    ])
  } finally {
    await service.stop()
  }
})
