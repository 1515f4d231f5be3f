import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, newWallet, type User } from './client.ts'
import { eventually, type Money, money, units } from './money.ts'
import { startService } from './service.ts'
import { expectValidation, instant, plain, txHash, uuid } from './shapes.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  client = await connect()
  bank = await money(client)
})
afterAll(() => client.stop())

const withdraw = (user: User, amount: unknown, tokenAddress: unknown = bank.tokenOf('EUR').address, path = '') =>
  client.request('POST', path || '/user/withdrawal', { token: user.token, body: { tokenAddress, amount } })
const list = (user: User) => client.request('GET', '/user/withdrawals', { token: user.token })
const withdrawalOf = async (user: User) => (await bank.statement(user)).find(({ type }) => type === 'withdrawal')
const sent = (user: User) =>
  eventually(
    () => withdrawalOf(user),
    (item) => item.status !== 'pending',
  )
const end = (withdrawalId: string, outcome: string) =>
  client.sandbox('POST', `/withdrawals/${withdrawalId}`, { outcome })
const hasChain = async () => (await client.sandbox('GET', '/chain')).status === 200

async function holder(quantity = '100'): Promise<User> {
  const user = await client.newUser()
  await bank.deposit(user, units(quantity))
  return user
}

test('a withdrawal pays the wallet that requested it, and is debited at once', async () => {
  const user = await holder()
  const made = await withdraw(user, String(units('40')))
  expect([made.status, made.body]).toEqual([201, { withdrawalId: expect.stringMatching(uuid) }])
  const { symbol, decimals, chainId } = bank.tokenOf('EUR')
  expect(await withdrawalOf(user)).toMatchObject({
    id: made.body.withdrawalId,
    amount: String(units('40')),
    currency: symbol,
    fiatCurrency: 'EUR',
    decimals,
    chainId,
    toAddress: user.wallet.address,
    isCredit: false,
  })
  expect(await bank.balance(user)).toMatchObject({
    spendable: String(units('60')),
    processingWithdrawals: String(units('40')),
  })
  await bank.assertBooks(user)
})

test('a sent withdrawal has a transaction hash, is in the list of withdrawals, and is completed later', async () => {
  const user = await holder()
  const { withdrawalId } = (await withdraw(user, String(units('40')))).body
  const item = await sent(user)
  expect(item.txHash).toMatch(txHash)
  // An attached chain determines the outcome. On the simulated chain, a sandbox request does.
  if (await hasChain()) expect((await end(withdrawalId, 'failed')).body).toEqual(plain('CHAIN_ATTACHED'))
  else expect((await end(withdrawalId, 'completed')).status).toBe(200)
  const completed = await eventually(
    () => withdrawalOf(user),
    ({ status }) => status === 'completed',
  )
  expect(completed).toMatchObject({ status: 'completed', txHash: item.txHash })
  expect(await bank.balance(user)).toMatchObject({ spendable: String(units('60')), processingWithdrawals: '0' })
  await bank.assertBooks(user)
  const { status, body } = await list(user)
  expect(status).toBe(200)
  expect(body).toStrictEqual({
    data: [
      {
        txHash: item.txHash,
        amount: String(units('40')),
        currency: bank.tokenOf('EUR').symbol,
        createdAt: expect.stringMatching(instant),
      },
    ],
  })
})

test('a withdrawal that fails on the simulated chain is refunded once', async () => {
  const attached = { client, bank }
  if (await hasChain()) {
    client = await connect(await startService({ CHAIN: 'simulated' }))
    bank = await money(client)
  }
  try {
    const user = await holder()
    const { withdrawalId } = (await withdraw(user, String(units('100')))).body
    await sent(user)
    const answers = await Promise.all(Array.from({ length: 5 }, () => end(withdrawalId, 'failed')))
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(await withdrawalOf(user)).toMatchObject({ status: 'failed' })
    expect(await bank.balance(user)).toMatchObject({ spendable: String(units('100')), processingWithdrawals: '0' })
    expect((await end(withdrawalId, 'completed')).status).toBe(409)
    await bank.assertBooks(user)
  } finally {
    if (client !== attached.client) await client.stop()
    ;({ client, bank } = attached)
  }
})

test('the list of withdrawals shows the newest first', async () => {
  const user = await holder()
  for (const amount of ['1', '2', '3']) expect((await withdraw(user, amount)).status).toBe(201)
  const { body } = await eventually(
    () => list(user),
    (answer) => answer.body.data.length === 3,
  )
  expect(body.data.map((record: any) => record.amount)).toEqual(['3', '2', '1'])
})

test('POST /user/withdrawals creates a withdrawal like POST /user/withdrawal', async () => {
  const user = await holder()
  const made = await withdraw(user, '1', bank.tokenOf('EUR').address, '/user/withdrawals')
  expect([made.status, Object.keys(made.body)]).toEqual([201, ['withdrawalId']])
})

test('a withdrawal accepts a token address in lower case or with a valid checksum', async () => {
  const user = await holder()
  const { address } = bank.tokenOf('EUR')
  expect((await withdraw(user, '1', address.toLowerCase())).status).toBe(201)
  const wrongCase = address.replace(/[a-f]/g, (letter) => letter.toUpperCase())
  for (const wrong of [wrongCase, 'EURe', '', null, 1, address.slice(2), `${address}00`]) {
    expectValidation(await withdraw(user, '1', wrong))
  }
  const unknown = await withdraw(user, '1', newWallet().address)
  expect([unknown.status, unknown.body]).toEqual([422, plain('TOKEN_NOT_SUPPORTED')])
})

test('a withdrawal amount that is not a string with a positive integer gets a validation error', async () => {
  const user = await holder()
  for (const wrong of ['0', '01', '-1', '1.0', '1e3', '', ' 1', '0x1', '١', 1, null, undefined, true, ['1']]) {
    expectValidation(await withdraw(user, wrong))
  }
  expect((await bank.balance(user)).spendable).toBe(String(units('100')))
})

test('a withdrawal of one unit above the balance or of a huge amount is rejected', async () => {
  const user = await holder()
  for (const amount of [String(units('100') + 1n), '9'.repeat(78), '9'.repeat(300)]) {
    const answer = await withdraw(user, amount)
    expect([answer.status, answer.body.error]).toEqual(
      answer.status === 400 ? [400, expect.anything()] : [422, 'INSUFFICIENT_FUNDS'],
    )
  }
  expect((await withdraw(user, String(units('100')))).status).toBe(201)
})

test('held, frozen, processing and owed amounts cannot be withdrawn', async () => {
  const user = await holder('10')
  await bank.deposit(user, units('5'), { result: 'pending' })
  await bank.deposit(user, units('5'), { result: 'rejected' })
  const cardId = await bank.newCard(user)
  await bank.card(cardId, 'authorization', { amount: '4.00' })
  expect((await withdraw(user, String(units('6') + 1n))).body).toEqual(plain('INSUFFICIENT_FUNDS'))
  await bank.card(cardId, 'clearing', { amount: '7.00', authorization_code: 'FORCED' })
  expect((await withdraw(user, '1')).body).toEqual(plain('INSUFFICIENT_FUNDS'))
  await bank.assertBooks(user)
})

test('of ten parallel withdrawals of the whole balance, one is accepted', async () => {
  const user = await holder()
  const answers = await Promise.all(Array.from({ length: 10 }, () => withdraw(user, String(units('100')))))
  const rejected = answers.filter(({ status }) => status !== 201)
  expect(rejected.map(({ status, body }) => [status, body])).toEqual(Array(9).fill([422, plain('INSUFFICIENT_FUNDS')]))
  await bank.assertBooks(user)
})

test('a blocked or closed account rejects withdrawals and can still be read', async () => {
  for (const accountStatus of ['blocked', 'closed']) {
    const user = await holder()
    expect((await client.sandbox('PATCH', `/users/${user.userId}`, { accountStatus })).status).toBe(200)
    const rejected = await withdraw(user, '1')
    expect([rejected.status, rejected.body]).toEqual([422, plain('ACCOUNT_NOT_ACTIVE')])
    expect((await list(user)).status).toBe(200)
    expect((await bank.balance(user)).spendable).toBe(String(units('100')))
    expect(await bank.statement(user)).toHaveLength(1)
  }
})

test('the list of withdrawals requires an access token', async () => {
  const answer = await client.request('GET', '/user/withdrawals')
  expect([answer.status, answer.text]).toEqual([401, '{"success":false,"error":"UNAUTHORIZED"}'])
})

test('an outcome of an unknown withdrawal gets 404, and an invalid outcome gets 400', async () => {
  expect((await end('01a1fc4e-f39c-748a-b04f-9ca8209a4d4a', 'completed')).status).toBe(404)
  const user = await holder()
  const { withdrawalId } = (await withdraw(user, '1')).body
  expectValidation(await end(withdrawalId, 'maybe'))
})
