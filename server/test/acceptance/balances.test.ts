import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect } from './client.ts'
import { type Money, money, units } from './money.ts'
import { address, amount } from './shapes.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  client = await connect()
  bank = await money(client)
})
afterAll(() => client.stop())

const scales: Record<string, number> = { EUR: 18, GBP: 18, USD: 6 }

test('a new account has a balance for each currency, with every field at zero', async () => {
  const user = await client.newUser()
  const answer = await client.request('GET', '/user/balances/v2', { token: user.token })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(Object.keys(answer.body)).toEqual(['data'])
  expect(answer.body.data.map((row: any) => [row.currency, row.decimals]).sort()).toEqual(Object.entries(scales))
  for (const row of answer.body.data) {
    const tokens = bank.tokens.filter(({ currency }) => currency === row.currency)
    expect(row).toStrictEqual({
      currency: row.currency,
      decimals: scales[row.currency],
      spendable: '0',
      nonSpendable: '0',
      processingDeposits: '0',
      processingWithdrawals: '0',
      tokens: tokens.map(({ address: token, decimals }) => ({
        token,
        decimals,
        spendable: '0',
        nonSpendable: '0',
        processingDeposits: '0',
        maxInstantWithdraw: '0',
      })),
    })
  }
})

test('every token has a unique address and no more decimals than the balance of its currency', async () => {
  for (const token of bank.tokens) {
    expect(token).toMatchObject({ address: expect.stringMatching(address), symbol: expect.any(String) })
    expect(token.decimals).toBeLessThanOrEqual(scales[token.currency] ?? 0)
  }
  expect(new Set(bank.tokens.map((token) => token.address)).size).toBe(bank.tokens.length)
})

test('the balance of a token includes dust below a cent, and the balance of its currency does not', async () => {
  const user = await client.newUser()
  await bank.deposit(user, 1_009_999n, { currency: 'USD' })
  await bank.deposit(user, units('0.009999999999999999'))
  expect(await bank.balance(user, 'USD')).toMatchObject({ spendable: '1000000', tokens: [{ spendable: '1009999' }] })
  expect(await bank.balance(user)).toMatchObject({ spendable: '0', tokens: [{ spendable: '9999999999999999' }] })
  await bank.deposit(user, 1n)
  expect((await bank.balance(user)).spendable).toBe(String(units('0.01')))
  await bank.assertBooks(user)
})

test('a card can spend exactly the spendable balance of its currency and not one cent more', async () => {
  for (const [country, currency, decimals] of [
    ['DE', 'EUR', 18],
    ['GB', 'GBP', 18],
    ['US', 'USD', 6],
    ['BR', 'USD', 6],
  ] as const) {
    const user = await client.newUser({ country })
    const cardId = await bank.newCard(user)
    await bank.deposit(user, units('12.349999', decimals), { currency })
    const tooMuch = await bank.card(cardId, 'authorization', { currency, amount: '12.35' })
    expect(tooMuch.body).toMatchObject({ status: 'denied', denial_code: '810' })
    expect((await bank.card(cardId, 'authorization', { currency, amount: '12.34' })).body.status).toBe('approved')
    const row = await bank.balance(user, currency)
    expect([row.spendable, row.tokens[0].spendable]).toEqual(['0', String(units('0.009999', decimals))])
    await bank.assertBooks(user)
  }
})

test('a withdrawal can take dust down to the last token unit', async () => {
  const user = await client.newUser({ country: 'US' })
  await bank.deposit(user, 1_009_999n, { currency: 'USD' })
  const body = { tokenAddress: bank.tokenOf('USD').address, amount: '1009999' }
  expect((await client.request('POST', '/user/withdrawal', { token: user.token, body })).status).toBe(201)
  expect(await bank.balance(user, 'USD')).toMatchObject({ spendable: '0', processingWithdrawals: '1009999' })
  await bank.assertBooks(user)
})

test('a debt lowers the spendable balance, including its fraction of a cent', async () => {
  const user = await client.newUser({ country: 'US' })
  const cardId = await bank.newCard(user)
  await bank.deposit(user, 5_005_000n, { currency: 'USD' })
  await bank.card(cardId, 'clearing', { currency: 'USD', amount: '10.00', authorization_code: 'FORCED' })
  expect(await bank.balance(user, 'USD')).toMatchObject({ spendable: '0', tokens: [{ spendable: '0' }] })
  await bank.deposit(user, 10_000_000n, { currency: 'USD' })
  const row = await bank.balance(user, 'USD')
  expect([row.spendable, row.tokens[0].spendable]).toEqual(['5000000', '5005000'])
  await bank.assertBooks(user)
})

test('a debt in one currency does not change the balances of other currencies', async () => {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  await bank.deposit(user, 7_000_000n, { currency: 'USD' })
  await bank.card(cardId, 'clearing', { amount: '3.00', authorization_code: 'FORCED' })
  expect((await bank.balance(user, 'EUR')).spendable).toBe('0')
  expect((await bank.balance(user, 'USD')).spendable).toBe('7000000')
  await bank.assertBooks(user)
})

test('the maximum instant withdrawal is positive and never exceeds the spendable balance', async () => {
  const user = await client.newUser()
  await bank.deposit(user, units('50.005'))
  const [token] = (await bank.balance(user)).tokens
  expect(token.maxInstantWithdraw).toMatch(amount)
  expect(BigInt(token.maxInstantWithdraw)).toBeGreaterThan(0n)
  expect(BigInt(token.maxInstantWithdraw)).toBeLessThanOrEqual(BigInt(token.spendable))
})

test('a balance above 64 bits is exact to the unit', async () => {
  const user = await client.newUser()
  const huge = 10n ** 30n + 7n
  await bank.deposit(user, huge)
  expect((await bank.balance(user)).tokens[0].spendable).toBe(String(huge))
  await bank.assertBooks(user)
})
