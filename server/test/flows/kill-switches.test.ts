import { afterAll, beforeAll, expect, test } from 'vitest'
import { advanceWithdrawal } from '../../src/money/withdrawals/payouts.ts'
import { type Process, startProcess } from '../proof/processes.ts'
import { runOperator } from '../support/operator.ts'
import { createTestDatabase, httpClient, startService, type TestService } from '../support/service.ts'
import { eure, type Person, populate } from '../support/world.ts'

/** The service runs in this process and in a second one. Each operator command runs in a process of its own. */
let here: TestService
let there: Process
beforeAll(async () => {
  const connection = await createTestDatabase()
  here = await startService({ connection, worker: false })
  there = await startProcess(connection, { CHAIN: 'simulated', ROLES: 'api' })
})
afterAll(async () => {
  await there?.kill('SIGTERM')
  await here?.stop()
})

const flip = (name: string, state: 'on' | 'off', ...reason: string[]) =>
  runOperator(here, ['switch', name, state, '--reason', ...reason])

const advance = (advanceSeconds: number) => here.sandbox('POST', '/clock', { advanceSeconds })

/** Sends an authorization of 1 euro to one of the processes, and returns the decline code, or its status. */
async function buyAt(url: string, { cardId }: Person): Promise<string> {
  const body = { transaction_type: 'authorization', card_id: cardId, amount: '1.00', currency: 'EUR' }
  const response = await httpClient(url).sandbox('POST', '/transactions', body)
  return response.body.denial_code ?? response.body.status
}

test('while card approvals are off, every process declines every authorization and books everything else', async () => {
  const { alice } = await populate(here, { eur: 100, card: true })
  await alice.send('authorization', '40.00', { authorization_code: 'BEFORE' })
  await alice.send('authorization', '20.00', { authorization_code: 'VOIDED' })
  for (const url of [here.url, there.url]) expect(await buyAt(url, alice)).toBe('approved')

  expect(await flip('card-approvals', 'off', 'stolen', 'keys')).toEqual({
    code: 0,
    output: 'The switch card-approvals is off.\n',
  })
  // The switch applies immediately in every process, so this test does not wait.
  for (const url of [here.url, there.url]) expect(await buyAt(url, alice)).toBe('OFF')
  expect((await alice.send('incremental', '5.00', { authorization_code: 'BEFORE' })).body.denial_code).toBe('OFF')
  expect((await alice.send('single_message', '5.00', { authorization_code: 'SINGLE' })).body.denial_code).toBe('OFF')
  await alice.send('clearing', '40.00', { authorization_code: 'BEFORE' })
  await alice.send('reversal', '20.00', { authorization_code: 'VOIDED' })
  await alice.send('refund', '10.00', { authorization_code: 'BEFORE' })
  expect(await alice.money()).toMatchObject({ network: 30_00n })
  expect(await here.ctx.metrics.killSwitches.get()).toMatchObject({
    values: expect.arrayContaining([{ labels: { switch: 'card-approvals' }, value: 0 }]),
  })

  expect((await flip('card-approvals', 'off', 'again')).output).toBe('The switch card-approvals is already off.\n')
  expect((await flip('card-approvals', 'on', 'new', 'keys')).code).toBe(0)
  for (const url of [here.url, there.url]) expect(await buyAt(url, alice)).toBe('approved')
  await alice.assertBooks()
})

test('while payouts are off, the service signs and sends nothing, and it sends all pending payouts once they are on', async () => {
  const { alice } = await populate(here, { eur: 100 })
  await flip('payouts', 'off', 'lost', 'signer')
  const requested = await Promise.all([1, 2, 3].map((quantity) => alice.withdraw(eure(quantity))))
  expect(requested.map(({ status }) => status)).toEqual([201, 201, 201])
  const stored = () => here.ctx.db.query('select nonce from payout_transaction')
  const shown = async () => (await alice.statement()).flatMap((item) => (item.type === 'withdrawal' ? item.status : []))
  await advance(3600)
  expect(await stored()).toEqual([])
  expect(await shown()).toEqual(['pending', 'pending', 'pending'])

  await flip('payouts', 'on', 'signer', 'found')
  await advance(60)
  expect(await stored()).toHaveLength(3)
  expect(await shown()).toEqual(['processing', 'processing', 'processing'])
  await alice.assertBooks()
})

test('a payout that is already signed is not sent again while payouts are off', async () => {
  const { alice } = await populate(here, { eur: 100 })
  const made = await alice.withdraw(eure(5))
  const sends: string[] = []
  const sendPayout = async (_chainId: number, signed: string) => void sends.push(signed)
  const chain = { ...here.ctx.chain, sendPayout, payoutState: async () => ({ status: 'unknown' as const, next: null }) }
  const pay = () =>
    advanceWithdrawal({ ...here.as('worker'), chain }, { userId: alice.userId, id: made.body.withdrawalId })
  await pay()
  expect(sends).toHaveLength(1)
  await flip('payouts', 'off', 'drill')
  await pay()
  expect(sends).toHaveLength(1)
  await flip('payouts', 'on', 'drill', 'over')
  await pay()
  expect(sends).toHaveLength(2)
})

test('each change of a switch is an operator decision with its author and reason', async () => {
  const { output } = await runOperator(here, ['decisions', 'list'])
  expect(output).toMatch(/ada {2}switch card-approvals off {2}card-approvals {2}stolen keys {2}\(break-glass\)$/m)
  expect(output).toMatch(/ada {2}switch payouts on {2}payouts {2}signer found {2}\(break-glass\)$/m)
  expect(output).not.toContain('again')
  const list = await runOperator(here, ['switch', 'list'])
  expect(list.output).toMatch(/^payouts is on since .*Z\ncard-approvals is on since .*Z\n$/)
  expect(await flip('payouts', 'off')).toMatchObject({ code: 2, output: expect.stringContaining('needs <reason>') })
  const wrong = await runOperator(here, ['switch', 'payouts', 'maybe', 'x'])
  expect(wrong).toEqual({ code: 1, output: '"maybe" is not a state. Use on or off.\n' })
})

test('a kill switch whose row is lost is off, and is listed as off, until an operator turns it on', async () => {
  const { alice } = await populate(here, { eur: 100, card: true })
  await here.ctx.db.query(`delete from kill_switch where name = 'card-approvals'`)
  expect(await buyAt(here.url, alice)).toBe('OFF')
  expect((await runOperator(here, ['switch', 'list'])).output).toContain('card-approvals is off\n')
  expect(await flip('card-approvals', 'on', 'repaired')).toEqual({
    code: 0,
    output: 'The switch card-approvals is on.\n',
  })
  expect(await buyAt(here.url, alice)).toBe('approved')
})
