import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, type User } from './client.ts'
import { type Money, money, units } from './money.ts'
import { instant, txHash, uuid } from './shapes.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  client = await connect()
  bank = await money(client)
})
afterAll(() => client.stop())

const list = (user: User) => client.request('GET', '/user/deposits', { token: user.token })
const screen = (depositId: string, result: string) =>
  client.sandbox('POST', `/deposits/${depositId}/screening`, { result })

test('an approved deposit is spendable', async () => {
  const user = await client.newUser()
  const made = await bank.deposit(user, units('12.5'))
  expect(made).toEqual({ depositId: expect.stringMatching(uuid), txHash: expect.stringMatching(txHash) })
  const [item] = await bank.statement(user)
  const { symbol, decimals, chainId } = bank.tokenOf('EUR')
  expect(item).toMatchObject({
    status: 'approved',
    amount: String(units('12.5')),
    currency: symbol,
    fiatCurrency: 'EUR',
  })
  expect(item).toMatchObject({ txHash: made.txHash, decimals, chainId, isCredit: true })
  expect((await bank.balance(user)).spendable).toBe(String(units('12.5')))
  await bank.assertBooks(user)
})

test('the list of deposits shows each deposit with its screening result, newest first', async () => {
  const user = await client.newUser()
  const hashes = []
  for (const result of ['approved', 'pending', 'rejected']) {
    hashes.unshift((await bank.deposit(user, units('1'), { result })).txHash)
  }
  const { status, body } = await list(user)
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['data'])
  const record = (state: string) => ({
    txHash: expect.stringMatching(txHash),
    amount: String(units('1')),
    currency: bank.tokenOf('EUR').symbol,
    status: state,
    createdAt: expect.stringMatching(instant),
    kytBreakdown: { result: expect.any(String), riskScore: expect.any(Number), riskTier: expect.any(String) },
  })
  expect(body.data).toStrictEqual(['rejected', 'pending', 'approved'].map(record))
  expect(body.data.map((deposit: any) => deposit.txHash)).toEqual(hashes)
  expect(body.data[1].kytBreakdown).toEqual({ result: 'pending', riskScore: 0, riskTier: 'unknown' })
})

test('a deposit that waits for screening counts as processing and is not spendable', async () => {
  const user = await client.newUser()
  const { depositId } = await bank.deposit(user, units('5'), { result: 'pending' })
  expect(await bank.balance(user)).toMatchObject({ spendable: '0', processingDeposits: String(units('5')) })
  await bank.assertBooks(user)
  expect((await screen(depositId, 'approved')).status).toBe(200)
  expect(await bank.balance(user)).toMatchObject({ spendable: String(units('5')), processingDeposits: '0' })
  await bank.assertBooks(user)
})

test('a deposit that screening rejects is frozen, and becomes spendable once it is approved', async () => {
  const user = await client.newUser()
  const { depositId } = await bank.deposit(user, units('5'), { result: 'rejected' })
  expect(await bank.balance(user)).toMatchObject({ spendable: '0', nonSpendable: String(units('5')) })
  await bank.assertBooks(user)
  expect((await screen(depositId, 'rejected')).status).toBe(200)
  expect((await screen(depositId, 'approved')).status).toBe(200)
  expect(await bank.balance(user)).toMatchObject({ spendable: String(units('5')), nonSpendable: '0' })
  await bank.assertBooks(user)
})

test('repeating the approval of a deposit changes nothing, and a later rejection gets 409', async () => {
  const user = await client.newUser()
  const { depositId } = await bank.deposit(user, units('5'))
  expect((await screen(depositId, 'approved')).status).toBe(200)
  const conflict = await screen(depositId, 'rejected')
  expect([conflict.status, conflict.body.error]).toEqual([409, 'INVALID_DEPOSIT_STATUS'])
  expect((await bank.balance(user)).spendable).toBe(String(units('5')))
})

test('ten identical screening results at once credit a deposit once', async () => {
  const user = await client.newUser()
  const { depositId } = await bank.deposit(user, units('5'), { result: 'pending' })
  const answers = await Promise.all(Array.from({ length: 10 }, () => screen(depositId, 'approved')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await bank.balance(user)).spendable).toBe(String(units('5')))
  await bank.assertBooks(user)
})

test('a change of a deposit’s status never moves its statement item', async () => {
  const user = await client.newUser()
  const { depositId } = await bank.deposit(user, units('1'), { result: 'pending' })
  await bank.deposit(user, units('2'))
  const order = async () => (await bank.statement(user)).map(({ id, createdAt }) => [id, createdAt])
  const before = await order()
  await screen(depositId, 'approved')
  expect(await order()).toEqual(before)
})

test('a user with a euro account can deposit every token of the programme', async () => {
  const user = await client.newUser()
  for (const { currency, decimals } of bank.tokens) await bank.deposit(user, units('3.21', decimals), { currency })
  for (const row of await bank.balances(user)) expect(row.spendable).toBe(String(units('3.21', row.decimals)))
  await bank.assertBooks(user)
})

test('an invalid deposit is rejected and leaves no statement item', async () => {
  const user = await client.newUser()
  const token = bank.tokenOf('EUR').address
  const good = { userId: user.userId, token, amount: '1' }
  for (const change of [
    { amount: '0' },
    { amount: '-1' },
    { amount: '1.5' },
    { amount: 1 },
    { amount: '' },
    { token: 'EUR' },
    { result: 'maybe' },
    { userId: 'nobody' },
    { userId: undefined },
  ]) {
    expect((await client.sandbox('POST', '/deposits', { ...good, ...change })).status, JSON.stringify(change)).toBe(400)
  }
  const unknown = { ...good, userId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a' }
  expect((await client.sandbox('POST', '/deposits', unknown)).status).toBe(404)
  const noToken = { ...good, token: '0x0000000000000000000000000000000000000001' }
  expect((await client.sandbox('POST', '/deposits', noToken)).status).toBe(422)
  expect((await screen('01a1fc4e-f39c-748a-b04f-9ca8209a4d4a', 'approved')).status).toBe(404)
  expect(await bank.statement(user)).toEqual([])
})

test('a user does not see the deposits of another user', async () => {
  const [owner, stranger] = [await client.newUser(), await client.newUser()]
  await bank.deposit(owner, units('1'))
  expect((await list(stranger)).body).toEqual({ data: [] })
  expect(await bank.statement(stranger)).toEqual([])
})
