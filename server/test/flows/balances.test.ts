import { describe, expect, test } from 'vitest'
import { findReadableBalances } from '../../src/money/balances/sql.ts'
import { freeFunds } from '../../src/money/withdrawals/payout-wallet.ts'
import { callerOf, startService, type TestUser, useService } from '../support/service.ts'

const eur = 10n ** 18n

const service = useService({ worker: false })

const balances = (user: TestUser) => service.request('GET', '/user/balances/v2', { token: user.token })

function withdraw(user: TestUser, symbol: string, amount: bigint) {
  const body = { tokenAddress: service.tokenAddress(symbol), amount: String(amount) }
  return service.request('POST', '/user/withdrawal', { token: user.token, body })
}

const zeros = { spendable: '0', nonSpendable: '0', processingDeposits: '0' }
const emptyRow = (currency: string, symbol: string, decimals: number) => ({
  currency,
  decimals,
  ...zeros,
  processingWithdrawals: '0',
  tokens: [{ token: service.tokenAddress(symbol), decimals, ...zeros, maxInstantWithdraw: '0' }],
})

describe('balances while a chain node hangs', () => {
  const hanging = useService({
    worker: false,
    alter: (ctx) => ({
      ...ctx,
      chain: {
        ...ctx.chain,
        payoutFunds: (chainId, token) =>
          token === ctx.config.tokens[0]?.address ? new Promise(() => {}) : ctx.chain.payoutFunds(chainId, token),
      },
    }),
  })

  test('a hanging chain node does not delay the balances, and lowers maxInstantWithdraw to 0 for its own tokens only', async () => {
    const user = await hanging.newUser()
    await hanging.deposit(user, eur, { symbol: 'EURe' })
    await hanging.deposit(user, eur, { symbol: 'GBPe' })
    const { status, body } = await hanging.request('GET', '/user/balances/v2', { token: user.token })
    expect(status).toBe(200)
    const tokens = body.data.flatMap((row: { tokens: object[] }) => row.tokens)
    expect(tokens).toMatchObject([
      { spendable: String(eur), maxInstantWithdraw: '0' },
      { spendable: String(eur), maxInstantWithdraw: String(eur) },
      { spendable: '0', maxInstantWithdraw: '0' },
    ])
  })
})

describe('balances of a user', () => {
  test('the balances of a new account have a row for each currency, with zero in every field', async () => {
    const response = await balances(await service.newUser())
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      data: [emptyRow('EUR', 'EURe', 18), emptyRow('GBP', 'GBPe', 18), emptyRow('USD', 'USDC', 6)],
    })
  })

  test('the balances show every state of money by currency and token', async () => {
    const user = await service.newUser()
    await service.deposit(user, 100n * eur, { symbol: 'EURe' })
    await service.deposit(user, 20n * eur, { symbol: 'EURe', result: 'rejected' })
    await service.deposit(user, 3n * eur, { symbol: 'EURe', result: 'pending' })
    await service.deposit(user, 5_000_000n, { symbol: 'USDC' })
    await withdraw(user, 'EURe', 40n * eur)
    const { body } = await balances(user)
    expect(body.data).toEqual([
      {
        currency: 'EUR',
        decimals: 18,
        spendable: String(60n * eur),
        nonSpendable: String(20n * eur),
        processingDeposits: String(3n * eur),
        processingWithdrawals: String(40n * eur),
        tokens: [
          {
            token: service.tokenAddress('EURe'),
            decimals: 18,
            spendable: String(60n * eur),
            nonSpendable: String(20n * eur),
            processingDeposits: String(3n * eur),
            maxInstantWithdraw: String(60n * eur),
          },
        ],
      },
      emptyRow('GBP', 'GBPe', 18),
      {
        ...emptyRow('USD', 'USDC', 6),
        spendable: '5000000',
        tokens: [{ ...emptyRow('USD', 'USDC', 6).tokens[0], spendable: '5000000', maxInstantWithdraw: '5000000' }],
      },
    ])
  })

  test('the row of a currency omits dust, but a withdrawal can include it', async () => {
    const user = await service.newUser()
    await service.deposit(user, eur + 1n, { symbol: 'EURe' })
    const [row] = (await balances(user)).body.data
    expect(row.spendable).toBe(String(eur))
    expect(row.tokens[0].spendable).toBe(String(eur + 1n))
    expect((await withdraw(user, 'EURe', eur + 1n)).status).toBe(201)
    expect((await balances(user)).body.data[0].tokens[0].spendable).toBe('0')
  })

  test('maxInstantWithdraw is limited by the free funds of the payout wallet', async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    await service.deposit(user, 10n * eur, { symbol: 'GBPe' })
    await service.deposit(other, 10n * eur, { symbol: 'GBPe' })
    // The funds may be cached for two seconds.
    const maxInstant = async () => {
      await service.advance(3)
      return BigInt((await balances(user)).body.data[1].tokens[0].maxInstantWithdraw) / eur
    }
    const chain = service.ctx.sandbox?.chain
    chain?.setPayoutFunds(service.tokenAddress('GBPe'), 8n * eur)
    expect(await maxInstant()).toBe(8n)
    await withdraw(other, 'GBPe', 5n * eur)
    expect(await maxInstant()).toBe(3n)
    await withdraw(other, 'GBPe', 5n * eur)
    expect(await maxInstant()).toBe(0n)
    expect((await balances(user)).body.data[1].spendable).toBe(String(10n * eur))
  })

  test('cached funds of the payout wallet are read again after the clock was set back', async () => {
    const { ctx } = service
    const token = ctx.config.tokens.find(({ currency }) => currency === 'USD')?.address ?? ''
    const anHourAgo = { ...ctx, clock: { now: () => new Date(ctx.clock.now().getTime() - 3_600_000) } }
    for (const [held, seenFrom] of [
      [8n, ctx],
      [5n, anHourAgo],
    ] as const) {
      ctx.sandbox?.chain.setPayoutFunds(token, held)
      if (seenFrom === ctx) await service.advance(3)
      expect((await freeFunds(seenFrom)).get(token)).toBe(held)
    }
  })

  test('a request for balances needs an access token, an owner who still has access, and an account', async () => {
    const bare = await service.request('GET', '/user/balances/v2')
    expect(bare).toMatchObject({ status: 401, body: { success: false, error: 'UNAUTHORIZED' } })
    const user = await service.newUser()
    await service.ctx.db.query('delete from account where user_id = $1', [user.userId])
    expect(await balances(user)).toMatchObject({ status: 404, body: { success: false, error: 'ACCOUNT_NOT_FOUND' } })
    await service.ctx.db.query('delete from owner where user_id = $1', [user.userId])
    expect(await balances(user)).toMatchObject({ status: 401, body: { success: false, error: 'ACCESS_REVOKED' } })
  })

  test('the balances of one user do not include those of another', async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    await service.deposit(user, eur, { symbol: 'EURe' })
    expect((await balances(other)).body.data[0]).toEqual(emptyRow('EUR', 'EURe', 18))
  })

  test('balances read in one batch reach their callers, and a caller with a foreign access id gets none', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => service.newUser()))
    for (const [i, user] of users.entries()) if (i > 0) await service.deposit(user, BigInt(i) * eur, { symbol: 'EURe' })
    const callers = users.map(({ token }) => callerOf(token))
    const strangers = callers.map((caller, i) => ({
      ...caller,
      accessId: callers[(i + 1) % callers.length]?.accessId ?? '',
    }))
    const { reader } = service.ctx.db
    const results = await Promise.all([...callers, ...strangers].map((caller) => findReadableBalances(reader, caller)))
    const found = results.map((rows) => rows.map(({ figures }) => figures))
    const own = [1n, 2n, 3n, 4n, 5n, 6n, 7n].map((n) => [`${service.tokenAddress('EURe')} ${n * eur} 0 0 0 0`])
    expect(found).toEqual([[null], ...own, ...strangers.map(() => [])])
  })
})

test('a currency without a token has a row in the balances', async () => {
  const currencies = [
    { currency: 'EUR', decimals: 18 },
    { currency: 'JPY', decimals: 0 },
  ]
  const token = { address: service.tokenAddress('EURe'), symbol: 'EURe', currency: 'EUR', decimals: 18, chainId: 31337 }
  const env = { CURRENCIES: JSON.stringify(currencies), TOKENS: JSON.stringify([token]) }
  const yen = await startService({ worker: false, env })
  try {
    const user = await yen.newUser()
    const { body } = await yen.request('GET', '/user/balances/v2', { token: user.token })
    expect(body.data[1]).toEqual({ currency: 'JPY', decimals: 0, ...zeros, processingWithdrawals: '0', tokens: [] })
  } finally {
    await yen.stop()
  }
})
