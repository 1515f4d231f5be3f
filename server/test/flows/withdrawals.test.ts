import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { advanceWithdrawal } from '../../src/money/withdrawals/payouts.ts'
import { rebuildWithdrawalItems } from '../../src/money/withdrawals/withdrawals.ts'
import { startService, type TestUser, useService } from '../support/service.ts'

const eur = 10n ** 18n
const unknownId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
const payoutWallet = '0x5aFe000000000000000000000000000000000001'

// No worker: each test runs the due work itself.
const service = useService({ worker: false, env: { DAILY_WITHDRAWAL_CAP_USD: '10000' } })
const euro = () => service.tokenAddress('EURe')

async function newFundedUser(amount = 100n * eur, symbol = 'EURe'): Promise<TestUser> {
  const user = await service.newUser()
  await service.deposit(user, amount, { symbol })
  return user
}

const withdraw = (user: TestUser, amount: bigint, change: object = {}, headers: Record<string, string> = {}) =>
  service.request('POST', '/user/withdrawal', {
    token: user.token,
    headers,
    body: { tokenAddress: euro(), amount: String(amount), ...change },
  })

/** Gives the payout wallet this amount on top of the payouts that earlier tests left in flight. */
async function fundWallet(amount: bigint): Promise<void> {
  const [row] = await service.ctx.db.query<{ amount: bigint | null }>(
    `-- scanDue
     select sum(amount) as amount from withdrawal where status = 'processing' and token = $1`,
    [euro()],
  )
  service.controls().chain.setPayoutFunds(euro(), (row?.amount ?? 0n) + amount)
}

const settle = (withdrawalId: string, outcome: string) =>
  service.sandbox('POST', `/withdrawals/${withdrawalId}`, { outcome })

async function summaryOf(user: TestUser) {
  const get = async (path: string) => (await service.request('GET', path, { token: user.token })).body
  const row = (await get('/user/balances/v2')).data[0]
  return {
    spendable: BigInt(row.spendable) / eur,
    processing: BigInt(row.processingWithdrawals) / eur,
    withdrawals: (await get('/user/withdrawals')).data,
    items: (await get('/user/statement')).data.filter((item: { type: string }) => item.type === 'withdrawal'),
  }
}

describe('a withdrawal is paid once', () => {
  test('a withdrawal is debited at the request, is paid to the requesting wallet, and completes', async () => {
    const user = await newFundedUser()
    const answer = await withdraw(user, 30n * eur)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ withdrawalId: expect.any(String) })
    const { withdrawalId } = answer.body

    const requested = await summaryOf(user)
    expect(requested).toMatchObject({ spendable: 70n, processing: 30n, withdrawals: [] })
    expect(requested.items).toEqual([
      {
        type: 'withdrawal',
        id: withdrawalId,
        status: 'pending',
        amount: String(30n * eur),
        currency: 'EURe',
        decimals: 18,
        fiatCurrency: 'EUR',
        isCredit: false,
        createdAt: expect.any(String),
        description: 'Withdrawal of EURe',
        txHash: null,
        toAddress: user.wallet.address,
        chainId: 31337,
      },
    ])

    await service.jobs.runDue()
    const sent = await summaryOf(user)
    const txHash = sent.items[0].txHash
    expect(txHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(sent).toMatchObject({ spendable: 70n, processing: 30n })
    expect(sent.items).toEqual([{ ...requested.items[0], status: 'processing', txHash }])
    const record = { txHash, amount: String(30n * eur), currency: 'EURe', createdAt: requested.items[0].createdAt }
    expect(sent.withdrawals).toEqual([record])

    expect(await settle(withdrawalId, 'completed')).toMatchObject({
      status: 200,
      body: { withdrawalId, status: 'completed' },
    })
    const done = await summaryOf(user)
    expect(done).toMatchObject({ spendable: 70n, processing: 0n, withdrawals: [record] })
    expect(done.items).toEqual([{ ...requested.items[0], status: 'completed', txHash }])
  })

  test('a reverted payout returns the funds to the user', async () => {
    const user = await newFundedUser()
    const { withdrawalId } = (await withdraw(user, 100n * eur)).body
    expect(await summaryOf(user)).toMatchObject({ spendable: 0n, processing: 100n })
    expect((await settle(withdrawalId, 'failed')).status).toBe(200)
    const after = await summaryOf(user)
    expect(after).toMatchObject({ spendable: 100n, processing: 0n })
    expect(after.items[0]).toMatchObject({ status: 'failed' })
  })

  test('a repeated outcome of a withdrawal changes nothing, and a different one is rejected', async () => {
    const user = await newFundedUser()
    const { withdrawalId } = (await withdraw(user, 10n * eur)).body
    await settle(withdrawalId, 'completed')
    const before = await summaryOf(user)
    expect((await settle(withdrawalId, 'completed')).status).toBe(200)
    const other = await settle(withdrawalId, 'failed')
    expect(other).toMatchObject({ status: 409, body: { success: false, error: 'INVALID_WITHDRAWAL_STATUS' } })
    expect(await summaryOf(user)).toEqual(before)
  })

  test('a withdrawal above the funds of the payout wallet is accepted and waits for funds', async () => {
    const user = await newFundedUser(50n * eur)
    try {
      await fundWallet(20n * eur)
      const { withdrawalId } = (await withdraw(user, 30n * eur)).body
      await service.jobs.runDue()
      expect((await summaryOf(user)).items[0]).toMatchObject({ status: 'pending', txHash: null })
      expect((await settle(withdrawalId, 'completed')).body.error).toBe('INVALID_WITHDRAWAL_STATUS')

      await fundWallet(30n * eur)
      await service.advance(120)
      expect((await summaryOf(user)).items[0]).toMatchObject({ status: 'processing' })
      expect((await settle(withdrawalId, 'completed')).status).toBe(200)
    } finally {
      service.controls().chain.setPayoutFunds(euro(), 10n ** 60n)
    }
  })

  test('concurrent withdrawals never share funds of the payout wallet, and each has its own nonce', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => newFundedUser(10n * eur)))
    try {
      await fundWallet(25n * eur)
      const ids = await Promise.all(users.map(async (user) => (await withdraw(user, 10n * eur)).body.withdrawalId))
      await service.jobs.runDue()
      const items = (await Promise.all(users.map(summaryOf))).flatMap((view) => view.items)
      const sent = items.filter((item) => item.status === 'processing')
      expect(sent).toHaveLength(2)
      expect(new Set(sent.map((item) => item.txHash)).size).toBe(2)
      service.controls().chain.setPayoutFunds(euro(), 10n ** 60n)
      await service.advance(120)
      for (const id of ids) expect((await settle(id, 'completed')).status).toBe(200)
    } finally {
      service.controls().chain.setPayoutFunds(euro(), 10n ** 60n)
    }
    const nonces = await service.ctx.db.query<{ nonce: bigint }>(
      'select nonce from payout_transaction where chain_id = $1 and signer = $2 order by nonce',
      [31337, payoutWallet],
    )
    expect(nonces.map(({ nonce }) => nonce)).toEqual(nonces.map((_, index) => BigInt(index)))
  })

  test('ten concurrent workers pay a withdrawal only once', async () => {
    const user = await newFundedUser()
    const { withdrawalId } = (await withdraw(user, 10n * eur)).body
    const due = { userId: user.userId, id: withdrawalId }
    const results = await Promise.all(Array.from({ length: 10 }, () => advanceWithdrawal(service.ctx, due)))
    expect(new Set(results.map(({ txHash }) => txHash)).size).toBe(1)
    const payouts = await service.ctx.db.query('select nonce from payout_transaction where withdrawal_id = $1', [
      withdrawalId,
    ])
    expect(payouts).toHaveLength(1)
  })

  test('a payout whose sending failed is sent again with the same transaction', async () => {
    const user = await newFundedUser()
    const { withdrawalId } = (await withdraw(user, 10n * eur)).body
    const { chain } = service.ctx
    const ctx = { ...service.ctx, chain: { ...chain, sendPayout: () => Promise.reject(new Error('the line is cut')) } }
    const due = { userId: user.userId, id: withdrawalId }
    await expect(advanceWithdrawal(ctx, due)).rejects.toThrow('the line is cut')
    const { items } = await summaryOf(user)
    expect(items[0]).toMatchObject({ status: 'processing' })
    const { txHash } = await advanceWithdrawal(service.ctx, due)
    expect(txHash).toBe(items[0].txHash)
    expect((await settle(withdrawalId, 'completed')).status).toBe(200)
  })
})

describe('withdrawal requests are checked', () => {
  test('a withdrawal of the whole spendable amount is accepted, and one of a unit more is rejected', async () => {
    const user = await newFundedUser()
    const refused = await withdraw(user, 100n * eur + 1n)
    expect(refused).toMatchObject({ status: 422, body: { success: false, error: 'INSUFFICIENT_FUNDS' } })
    expect((await withdraw(user, 10n ** 100n)).body.error).toBe('INSUFFICIENT_FUNDS')
    expect((await withdraw(user, 100n * eur)).status).toBe(201)
    expect((await withdraw(user, 1n)).body.error).toBe('INSUFFICIENT_FUNDS')
  })

  test('ten of fifty concurrent withdrawals are accepted when the funds cover ten', async () => {
    const user = await newFundedUser()
    const answers = await Promise.all(Array.from({ length: 50 }, () => withdraw(user, 10n * eur)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(10)
    expect(statuses.filter((status) => status === 422)).toHaveLength(40)
    expect(await summaryOf(user)).toMatchObject({ spendable: 0n, processing: 100n })
  })

  test('twenty concurrent requests with one idempotency key make one withdrawal, and a rejection is repeated', async () => {
    const user = await newFundedUser()
    const key = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all(Array.from({ length: 20 }, () => withdraw(user, 60n * eur, {}, key)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(await summaryOf(user)).toMatchObject({ spendable: 40n, processing: 60n })
    const other = await withdraw(user, 1n, {}, key)
    expect(other).toMatchObject({ status: 422, body: { success: false, error: 'IDEMPOTENCY_KEY_REUSED' } })

    const refusedKey = { 'idempotency-key': randomUUID() }
    expect((await withdraw(user, 41n * eur, {}, refusedKey)).body.error).toBe('INSUFFICIENT_FUNDS')
    await service.sandbox('POST', '/deposits', { userId: user.userId, token: euro(), amount: String(eur) })
    expect((await withdraw(user, 41n * eur, {}, refusedKey)).body.error).toBe('INSUFFICIENT_FUNDS')
    expect((await withdraw(user, 41n * eur)).status).toBe(201)
  })

  test('a withdrawal request accepts a token address in lower case, and the plural path', async () => {
    const user = await newFundedUser()
    expect((await withdraw(user, 1n, { tokenAddress: euro().toLowerCase() })).status).toBe(201)
    const body = { tokenAddress: euro(), amount: '1' }
    const alias = await service.request('POST', '/user/withdrawals', { token: user.token, body })
    expect(alias).toMatchObject({ status: 201, body: { withdrawalId: expect.any(String) } })
    expect((await service.request('POST', '/user/withdrawals', { body })).status).toBe(401)
  })

  test.each([
    ['an amount of zero', { amount: '0' }],
    ['an amount with a leading zero', { amount: '01' }],
    ['a negative amount', { amount: '-1' }],
    ['a fractional amount', { amount: '1.5' }],
    ['an amount that is a number', { amount: 1 }],
    ['no amount', { amount: undefined }],
    ['a symbol for a token address', { tokenAddress: 'EURe' }],
    ['a wrong checksum', { tokenAddress: '0xCB444e90D8198415266c6a2724b7900fb12FC56E' }],
  ])('a withdrawal request with %s is invalid', async (_what, change) => {
    const user = await service.newUser()
    const answer = await withdraw(user, 1n, change)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      kind: 'validation',
      success: false,
      error: { name: 'ValidationError', message: expect.any(String) },
    })
  })

  test('a withdrawal needs a supported token, an active account and an access token', async () => {
    const user = await newFundedUser()
    const unknown = await withdraw(user, 1n, { tokenAddress: '0x00000000000000000000000000000000000000AA' })
    expect(unknown).toMatchObject({ status: 422, body: { success: false, error: 'TOKEN_NOT_SUPPORTED' } })

    await service.sandbox('PATCH', `/users/${user.userId}`, { accountStatus: 'blocked' })
    expect(await withdraw(user, 1n)).toMatchObject({ status: 422, body: { error: 'ACCOUNT_NOT_ACTIVE' } })

    await service.ctx.db.query('delete from account where user_id = $1', [user.userId])
    expect(await withdraw(user, 1n)).toMatchObject({ status: 404, body: { error: 'ACCOUNT_NOT_FOUND' } })
    const list = await service.request('GET', '/user/withdrawals', { token: user.token })
    expect(list).toMatchObject({ status: 404, body: { success: false, error: 'ACCOUNT_NOT_FOUND' } })

    expect((await service.request('POST', '/user/withdrawal', { body: {} })).body.error).toBe('UNAUTHORIZED')
    expect((await service.request('GET', '/user/withdrawals')).body.error).toBe('UNAUTHORIZED')
  })

  test('a contract wallet can withdraw only on the chain where it signed in', async () => {
    const user = await newFundedUser()
    const signedInOn = (chainId: number) =>
      service.ctx.db.query('update owner set contract_chain_id = $2 where user_id = $1', [user.userId, chainId])
    await signedInOn(1)
    expect(await withdraw(user, 1n)).toMatchObject({ status: 422, body: { error: 'PAYEE_NOT_ON_CHAIN' } })
    await signedInOn(31337)
    expect((await withdraw(user, 1n)).status).toBe(201)
  })

  test('a removed owner cannot request a withdrawal', async () => {
    const user = await newFundedUser()
    await service.ctx.db.query('delete from owner where user_id = $1', [user.userId])
    expect(await withdraw(user, 1n)).toMatchObject({ status: 401, body: { success: false, error: 'ACCESS_REVOKED' } })
  })

  test('a withdrawal above the daily cap is rejected, and failed withdrawals and those of the day before do not count', async () => {
    const usdc = service.tokenAddress('USDC')
    const user = await newFundedUser(500_000_000n, 'USDC')
    const inUsd = (amount: bigint) => withdraw(user, amount, { tokenAddress: usdc })
    const limit = async () => {
      const { body } = await service.request('GET', '/user/balances/v2', { token: user.token })
      return body.data[2].tokens[0].maxInstantWithdraw
    }
    expect(await limit()).toBe('100000000')
    const { withdrawalId } = (await inUsd(60_000_000n)).body
    expect(await inUsd(40_000_001n)).toMatchObject({ status: 422, body: { error: 'DAILY_LIMIT_EXCEEDED' } })
    expect(await limit()).toBe('40000000')
    await settle(withdrawalId, 'failed')
    expect((await inUsd(100_000_000n)).status).toBe(201)
    expect((await inUsd(1n)).body.error).toBe('DAILY_LIMIT_EXCEEDED')

    await service.advance(24 * 3600)
    const token = await service.signIn(user.wallet)
    expect((await withdraw({ ...user, token }, 1n, { tokenAddress: usdc })).status).toBe(201)
  })
})

test('a payout on a chain that does not respond does not delay a payout on another chain', async () => {
  const nonce = Promise.withResolvers<bigint>()
  const tokens = service.ctx.config.tokens.map((token) => ({ ...token, chainId: token.symbol === 'EURe' ? 100 : 137 }))
  const two = await startService({
    worker: false,
    env: { TOKENS: JSON.stringify(tokens) },
    alter: (ctx) => {
      const payoutNonce = (chainId: number) => (chainId === 100 ? nonce.promise : ctx.chain.payoutNonce(chainId))
      return { ...ctx, chain: { ...ctx.chain, payoutNonce } }
    },
  })
  try {
    const user = await two.newUser()
    const { token } = user
    async function withdrawn(symbol: string): Promise<string> {
      await two.deposit(user, eur, { symbol })
      const body = { tokenAddress: two.tokenAddress(symbol), amount: String(eur) }
      return (await two.request('POST', '/user/withdrawal', { token, body })).body.withdrawalId
    }
    const statusOf = async (id: string) => (await two.request('GET', `/user/withdrawals/${id}`, { token })).body.status
    const [hanging, other] = [await withdrawn('EURe'), await withdrawn('GBPe')]
    const due = two.jobs.runDue()
    await expect.poll(() => statusOf(other)).toBe('processing')
    expect(await statusOf(hanging)).toBe('pending')
    nonce.resolve(0n)
    await due
    expect(await statusOf(hanging)).toBe('processing')
  } finally {
    nonce.resolve(0n)
    await two.stop()
  }
})

test('the simulator settles withdrawals only with its password, a known withdrawal and an outcome', async () => {
  const bare = await service.request('POST', `/sandbox/withdrawals/${unknownId}`, { body: { outcome: 'completed' } })
  expect(bare).toMatchObject({ status: 401, body: { success: false, error: 'SANDBOX_UNAUTHORIZED' } })
  expect(await settle(unknownId, 'completed')).toMatchObject({ status: 404, body: { error: 'WITHDRAWAL_NOT_FOUND' } })
  expect((await settle(unknownId, 'lost')).status).toBe(400)
  expect((await settle('no-uuid', 'completed')).status).toBe(400)
})

test('the withdrawal list contains only the caller’s withdrawals with a transaction', async () => {
  const [user, other] = [await newFundedUser(), await newFundedUser()]
  for (const amount of [1n, 2n]) {
    await withdraw(user, amount)
    await service.jobs.runDue()
  }
  await withdraw(user, 3n)
  expect((await summaryOf(user)).withdrawals.map((record: { amount: string }) => record.amount)).toEqual(['2', '1'])
  expect((await summaryOf(other)).withdrawals).toEqual([])
})

test('the statement items of withdrawals equal the items rebuilt from the table', async () => {
  const user = await newFundedUser()
  await settle((await withdraw(user, 1n)).body.withdrawalId, 'completed')
  await settle((await withdraw(user, 2n)).body.withdrawalId, 'failed')
  await withdraw(user, 3n)
  const stored = await service.ctx.db.query<{ item: string }>(
    `select item from statement_item where user_id = $1 and item like '{"type":"withdrawal"%' order by item_id`,
    [user.userId],
  )
  const rebuilt = (await rebuildWithdrawalItems(service.ctx, user.userId)).sort((a, b) =>
    a.itemId < b.itemId ? -1 : 1,
  )
  expect(rebuilt.map(({ item }) => item)).toEqual(stored.map(({ item }) => item))
  expect(stored).toHaveLength(3)
})

describe('a withdrawal must reach the minimum of its token', () => {
  test('a withdrawal below the minimum gets an error with the minimum, unless it empties the balance', async () => {
    const minimum = 5n * eur
    const env = { CHAIN: 'simulated', WITHDRAWAL_MINIMUMS: JSON.stringify({ [euro()]: String(minimum) }) }
    const strict = await startService({ worker: false, env })
    const user = await strict.newUser()
    const ask = (amount: bigint, headers: Record<string, string> = {}) =>
      strict.request('POST', '/user/withdrawal', {
        token: user.token,
        headers,
        body: { tokenAddress: euro(), amount: String(amount) },
      })
    await strict.sandbox('POST', '/deposits', { userId: user.userId, token: euro(), amount: String(8n * eur) })
    // With a key, the first response is stored, and the second one is its copy.
    const keyed = { 'idempotency-key': randomUUID() }
    for (const headers of [{}, keyed, keyed]) {
      const refused = await ask(minimum - 1n, headers)
      expect([refused.status, refused.body]).toEqual([
        422,
        {
          success: false,
          error: 'WITHDRAWAL_TOO_SMALL',
          message: expect.stringContaining(`The minimum is ${minimum}`),
        },
      ])
    }
    expect((await ask(minimum)).status).toBe(201)
    expect((await ask(3n * eur)).status).toBe(201)
    await strict.stop()
  })

  test('the sandbox has no withdrawal minimum unless one is configured', async () => {
    expect((await withdraw(await newFundedUser(), 1n)).status).toBe(201)
  })
})
