import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, newName, newWallet, type User } from './client.ts'
import { type Money, money, phone, units } from './money.ts'
import { plain } from './shapes.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  client = await connect()
  bank = await money(client)
})
afterAll(() => client.stop())

const post = (user: User, path: string, body: unknown, key: string) =>
  client.request('POST', path, { token: user.token, body, headers: { 'idempotency-key': key } })
const withdrawal = (amount: string) => ({ tokenAddress: bank.tokenOf('EUR').address, amount })
const cardsOf = async (user: User) => (await client.request('GET', '/cards', { token: user.token })).body.data

async function holder(): Promise<User> {
  const user = await client.newUser()
  await bank.deposit(user, units('100'))
  return user
}

test('ten parallel requests with one idempotency key create one withdrawal and get identical responses', async () => {
  const user = await holder()
  const key = newName('key-')
  const click = () => post(user, '/user/withdrawal', withdrawal(String(units('10'))), key)
  const answers = await Promise.all(Array.from({ length: 10 }, click))
  answers.push(await click())
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(201)
  expect((await bank.balance(user)).spendable).toBe(String(units('90')))
  await bank.assertBooks(user)
})

test('two requests with one idempotency key create one card', async () => {
  const user = await client.newUser()
  const key = newName('key-')
  const body = { cardName: 'Once', phone }
  const first = await post(user, '/cards/virtual', body, key)
  const second = await post(user, '/cards/virtual', body, key)
  expect([first.status, second.status, second.text]).toEqual([201, 201, first.text])
  expect(await cardsOf(user)).toHaveLength(1)
})

test('parallel requests with one idempotency key get the created card or 409', async () => {
  const user = await client.newUser()
  const key = newName('key-')
  const ask = () => post(user, '/cards/virtual', { cardName: 'Once', phone }, key)
  const answers = await Promise.all(Array.from({ length: 8 }, ask))
  for (const { status } of answers) expect([201, 409]).toContain(status)
  expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1)
  expect(await cardsOf(user)).toHaveLength(1)
})

test('an idempotency key that is reused with another body or path gets 422', async () => {
  const user = await holder()
  const key = newName('key-')
  expect((await post(user, '/user/withdrawal', withdrawal('1'), key)).status).toBe(201)
  for (const [path, body] of [
    ['/user/withdrawal', withdrawal('2')],
    ['/user/withdrawals', withdrawal('1')],
    ['/cards/virtual', { cardName: 'Mine', phone }],
  ] as const) {
    const answer = await post(user, path, body, key)
    expect([answer.status, answer.body], path).toEqual([422, plain('IDEMPOTENCY_KEY_REUSED')])
  }
})

test('a request with the idempotency key of a rejected request gets the same rejection, even after its cause is gone', async () => {
  const user = await client.newUser()
  const key = newName('key-')
  const ask = () => post(user, '/user/withdrawal', withdrawal('5'), key)
  const rejected = await ask()
  expect([rejected.status, rejected.body]).toEqual([422, plain('INSUFFICIENT_FUNDS')])
  await bank.deposit(user, 5n)
  const again = await ask()
  expect([again.status, again.text]).toEqual([422, rejected.text])
  expect((await bank.balance(user)).processingWithdrawals).toBe('0')
})

test('a malformed request does not use up its idempotency key', async () => {
  const user = await holder()
  const key = newName('key-')
  expect((await post(user, '/user/withdrawal', { amount: '1' }, key)).status).toBe(400)
  expect((await post({ ...user, token: 'x' }, '/user/withdrawal', withdrawal('1'), key)).status).toBe(401)
  expect((await post(user, '/user/withdrawal', withdrawal('1'), key)).status).toBe(201)
})

test('two users can use the same idempotency key', async () => {
  const [one, other] = [await holder(), await holder()]
  const key = newName('key-')
  const answers = [one, other].map((user) => post(user, '/user/withdrawal', withdrawal('1'), key))
  const [first, second] = await Promise.all(answers)
  expect([first?.status, second?.status]).toEqual([201, 201])
  expect(first?.text).not.toBe(second?.text)
})

test('an idempotency key has 1 to 255 characters', async () => {
  const user = await holder()
  expect((await post(user, '/user/withdrawal', withdrawal('1'), 'k'.repeat(255))).status).toBe(201)
  expect((await post(user, '/user/withdrawal', withdrawal('1'), 'k'.repeat(256))).status).toBe(400)
  expect((await post(user, '/user/withdrawal', withdrawal('1'), '')).status).toBe(400)
})

test('a repeated request with its idempotency key gets the original response, even after later changes', async () => {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  const key = newName('key-')
  const blocked = await post(user, `/cards/${cardId}/block`, undefined, key)
  await client.request('POST', `/cards/${cardId}/unblock`, { token: user.token })
  const again = await post(user, `/cards/${cardId}/block`, undefined, key)
  expect([again.status, again.text]).toEqual([blocked.status, blocked.text])
  const card = await client.request('GET', `/cards/${cardId}`, { token: user.token })
  expect(card.body.status).toBe('active')
})

test('the simulator’s idempotency keys are separate from those of users', async () => {
  const user = await client.newUser()
  const key = newName('key-')
  const body = { userId: user.userId, token: bank.tokenOf('EUR').address, amount: '5' }
  const made = () => client.sandbox('POST', '/deposits', body, { 'idempotency-key': key })
  const [first, second] = [await made(), await made()]
  expect([first.status, second.text]).toEqual([201, first.text])
  expect(await bank.statement(user)).toHaveLength(1)
  expect((await post(user, '/user/withdrawal', withdrawal('1'), key)).status).toBe(201)
  const other = { address: newWallet().address }
  const reused = await client.sandbox('POST', '/users', other, { 'idempotency-key': key })
  expect([reused.status, reused.body]).toEqual([422, plain('IDEMPOTENCY_KEY_REUSED')])
})
