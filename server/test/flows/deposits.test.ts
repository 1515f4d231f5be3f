import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { lockAccount } from '../../src/identity/users/users.ts'
import {
  advanceDeposit,
  findDepositByTransfer,
  findUnsweptDeposits,
  followTransfer,
  followTransfers,
  markSwept,
  rebuildDepositItems,
  returnDeposit,
  seeDeposit,
} from '../../src/money/deposits/deposits.ts'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import { directoryKey } from '../../src/platform/db/directory.ts'
import { runOperator } from '../support/operator.ts'
import { type TestUser, useService } from '../support/service.ts'

const eur = 10n ** 18n
const unknownId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'

// No worker: each test runs the due work itself.
const service = useService({ worker: false })
const euro = () => service.tokenAddress('EURe')

const deposit = (user: TestUser, body: object = {}) =>
  service.sandbox('POST', '/deposits', { userId: user.userId, token: euro(), amount: String(100n * eur), ...body })
const screen = (depositId: string, result: string) =>
  service.sandbox('POST', `/deposits/${depositId}/screening`, { result })

async function summaryOf(user: TestUser) {
  const get = async (path: string) => (await service.request('GET', path, { token: user.token })).body
  const balances = (await get('/user/balances/v2')).data[0]
  return {
    spendable: BigInt(balances.spendable) / eur,
    nonSpendable: BigInt(balances.nonSpendable) / eur,
    processing: BigInt(balances.processingDeposits) / eur,
    deposits: (await get('/user/deposits')).data,
    items: (await get('/user/statement')).data,
  }
}

/** Records a transfer to the user without advancing the deposit. */
async function seen(
  user: TestUser,
  { amount = 100n * eur, result = 'approved' as 'approved' | 'rejected', logPosition = 0 } = {},
) {
  const mined = service.controls().chain.mineTransfer(randomUUID(), {
    chainId: 31337,
    token: euro(),
    fromAddress: service.controls().screening.senderFor(result),
    toAddress: user.accountAddress,
    amount,
  })
  const transfer = { ...mined, logPosition }
  const key = await seeDeposit(service.ctx, transfer)
  if (key === null) throw new Error('the account has no address in the directory')
  return { transfer, key, due: { userId: key.userId, id: key.depositId } }
}

async function storedItems(userId: string): Promise<string[]> {
  const rows = await service.ctx.db.query<{ item: string }>(
    'select item from statement_item where user_id = $1 order by item_id',
    [userId],
  )
  return rows.map(({ item }) => item)
}

describe('a deposit is credited when it is final and approved', () => {
  test('an approved deposit is spendable, listed, and on the statement', async () => {
    const user = await service.newUser()
    const answer = await deposit(user)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ depositId: expect.any(String), txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })

    const { spendable, processing, deposits, items } = await summaryOf(user)
    expect({ spendable, processing }).toEqual({ spendable: 100n, processing: 0n })
    const createdAt = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    expect(deposits).toEqual([
      {
        txHash: answer.body.txHash,
        amount: String(100n * eur),
        currency: 'EURe',
        status: 'approved',
        createdAt,
        kytBreakdown: { result: 'approved', riskScore: 5, riskTier: 'low' },
      },
    ])
    expect(items).toEqual([
      {
        type: 'deposit',
        id: answer.body.depositId,
        status: 'approved',
        amount: String(100n * eur),
        currency: 'EURe',
        decimals: 18,
        fiatCurrency: 'EUR',
        isCredit: true,
        createdAt: deposits[0].createdAt,
        description: 'Deposit of EURe',
        txHash: answer.body.txHash,
        fromAddress: service.controls().screening.senderFor('approved'),
        chainId: 31337,
      },
    ])
  })

  test('a rejected deposit is shown, and is frozen until the rejection is overturned', async () => {
    const user = await service.newUser()
    const { depositId } = (await deposit(user, { result: 'rejected' })).body
    const frozen = await summaryOf(user)
    expect(frozen).toMatchObject({ spendable: 0n, nonSpendable: 100n, processing: 0n })
    expect(frozen.deposits[0]).toMatchObject({
      status: 'rejected',
      kytBreakdown: { result: 'rejected', riskScore: 95 },
    })
    expect(frozen.items[0]).toMatchObject({ id: depositId, status: 'rejected' })

    expect(await screen(depositId, 'rejected')).toMatchObject({ status: 200, body: { depositId, status: 'rejected' } })
    expect(await summaryOf(user)).toEqual(frozen)

    expect(await screen(depositId, 'approved')).toMatchObject({ status: 200, body: { depositId, status: 'approved' } })
    const free = await summaryOf(user)
    expect(free).toMatchObject({ spendable: 100n, nonSpendable: 0n })
    expect(free.items).toHaveLength(1)
    expect(free.items[0]).toEqual({ ...frozen.items[0], status: 'approved' })
  })

  test('a deposit is not spendable before its screening result, and an approval cannot be overturned', async () => {
    const user = await service.newUser()
    const { depositId } = (await deposit(user, { result: 'pending' })).body
    const waiting = await summaryOf(user)
    expect(waiting).toMatchObject({ spendable: 0n, nonSpendable: 0n, processing: 100n })
    expect(waiting.deposits[0]).toMatchObject({
      status: 'pending',
      kytBreakdown: { result: 'pending', riskScore: 0, riskTier: 'unknown' },
    })

    expect((await screen(depositId, 'approved')).status).toBe(200)
    const approved = await summaryOf(user)
    expect(approved).toMatchObject({ spendable: 100n, processing: 0n })
    expect((await screen(depositId, 'approved')).status).toBe(200)
    const refused = await screen(depositId, 'rejected')
    expect(refused.status).toBe(409)
    expect(refused.body).toEqual({ success: false, error: 'INVALID_DEPOSIT_STATUS' })
    expect(await summaryOf(user)).toEqual(approved)
  })

  test('a deposit is not credited while screening is down, and is credited after recovery', async () => {
    const user = await service.newUser()
    const { due } = await seen(user)
    service.controls().screening.failNext(2)
    await service.jobs.runDue()
    expect(await summaryOf(user)).toMatchObject({ spendable: 0n, processing: 100n })
    await expect(advanceDeposit(service.ctx, due)).rejects.toThrow('screening')
    await service.advance(600)
    expect(await summaryOf(user)).toMatchObject({ spendable: 100n, processing: 0n })
  })

  test('the simulator waits for a deposit during an outage that ends in time', async () => {
    const user = await service.newUser()
    service.controls().screening.failNext(2)
    expect((await deposit(user)).status).toBe(201)
    expect(await summaryOf(user)).toMatchObject({ spendable: 100n, processing: 0n })
  })

  test('a deposit waits while the chain does not respond', async () => {
    const user = await service.newUser()
    await seen(user)
    service.controls().chain.failNext(1)
    await service.jobs.runDue()
    expect(await summaryOf(user)).toMatchObject({ spendable: 0n, processing: 100n })
    await service.advance(600)
    expect(await summaryOf(user)).toMatchObject({ spendable: 100n, processing: 0n })
  })

  test('an approved deposit is not spendable before it is final', async () => {
    const user = await service.newUser()
    const { transfer, due } = await seen(user)
    service.controls().chain.setTransferState(transfer, 'unfinal')
    await advanceDeposit(service.ctx, due)
    const early = await summaryOf(user)
    expect(early).toMatchObject({ spendable: 0n, processing: 100n })
    expect(early.deposits[0]).toMatchObject({ status: 'pending', kytBreakdown: { result: 'approved' } })
    service.controls().chain.setTransferState(transfer, 'final')
    await advanceDeposit(service.ctx, due)
    expect(await summaryOf(user)).toMatchObject({ spendable: 100n, processing: 0n })
  })

  test('a transfer recorded and advanced by twenty concurrent calls makes one deposit', async () => {
    const user = await service.newUser()
    const { transfer, due } = await seen(user)
    const again = await Promise.all(Array.from({ length: 20 }, () => seeDeposit(service.ctx, transfer)))
    expect(new Set(again.map((key) => key?.depositId))).toEqual(new Set([due.id]))
    await Promise.all(Array.from({ length: 20 }, () => advanceDeposit(service.ctx, due)))
    const after = await summaryOf(user)
    expect(after).toMatchObject({ spendable: 100n, processing: 0n })
    expect(after.items).toHaveLength(1)
  })

  test('each log of a transaction makes its own deposit', async () => {
    const user = await service.newUser()
    const { transfer } = await seen(user)
    await seeDeposit(service.ctx, { ...transfer, logPosition: 1 })
    await service.jobs.runDue()
    expect(await summaryOf(user)).toMatchObject({ spendable: 200n })
  })

  test('a transfer to an unknown address makes no deposit', async () => {
    const user = await service.newUser()
    const { transfer } = await seen(user)
    const elsewhere = { ...transfer, logPosition: 7, toAddress: '0x00000000000000000000000000000000000000AA' }
    expect(await seeDeposit(service.ctx, elsewhere)).toBeNull()
  })
})

describe('a reorganization changes deposits', () => {
  test('a reorganization before finality takes the deposit back, and mining it again credits it', async () => {
    const user = await service.newUser()
    const { transfer, key, due } = await seen(user)
    service.controls().chain.setTransferState(transfer, 'reorganized')
    await service.jobs.runDue()
    const gone = await summaryOf(user)
    expect(gone).toMatchObject({ spendable: 0n, nonSpendable: 0n, processing: 0n })
    expect(gone.items[0]).toMatchObject({ status: 'rejected', description: 'Deposit of EURe (REORGED)' })
    expect((await screen(key.depositId, 'approved')).body.error).toBe('INVALID_DEPOSIT_STATUS')

    // A replayed feed or a late finality report does not restore it …
    await followTransfer(service.ctx, key, 'final')
    expect(await summaryOf(user)).toEqual(gone)
    // … only a new report of the transfer in a block does.
    service.controls().chain.setTransferState(transfer, 'final')
    expect(await seeDeposit(service.ctx, transfer)).toEqual(key)
    expect(await summaryOf(user)).toMatchObject({ spendable: 0n, processing: 100n })
    await service.jobs.runDue()
    const back = await summaryOf(user)
    expect(back).toMatchObject({ spendable: 100n, processing: 0n })
    expect(back.items).toEqual([{ ...gone.items[0], status: 'approved', description: 'Deposit of EURe' }])
    expect(due.id).toBe(back.items[0].id)
  })

  test('a reorganization below the final block debits the deposit into debt, which the next deposit repays first', async () => {
    const user = await service.newUser()
    const { key } = await seen(user)
    await service.jobs.runDue()
    const body = { tokenAddress: euro(), amount: String(30n * eur) }
    expect((await service.request('POST', '/user/withdrawal', { token: user.token, body })).status).toBe(201)

    await followTransfer(service.ctx, key, 'reorganized')
    const owing = await summaryOf(user)
    expect(owing).toMatchObject({ spendable: 0n, processing: 0n })
    expect(owing.items.find((item: { type: string }) => item.type === 'deposit').status).toBe('rejected')
    expect((await screen(key.depositId, 'rejected')).status).toBe(409)

    await deposit(user, { amount: String(50n * eur) })
    expect(await summaryOf(user)).toMatchObject({ spendable: 20n })
  })

  test('a reorganization below the final block makes a swept deposit unswept again', async () => {
    const user = await service.newUser()
    const { key, transfer } = await seen(user)
    await service.jobs.runDue()
    const { chainId, token } = transfer
    const until = service.ctx.clock.now()
    await markSwept(service.ctx, { userId: user.userId, address: user.accountAddress, chainId, token, until }, 0n)
    const unswept = async () => {
      const found = await findUnsweptDeposits(service.ctx, { chainId, token, minimum: 1n, limit: 1000 })
      return found.some(({ userId }) => userId === user.userId)
    }
    expect(await unswept()).toBe(false)
    for (const state of ['reorganized', 'unfinal', 'final'] as const) await followTransfer(service.ctx, key, state)
    expect(await unswept()).toBe(true)
  })

  test('a reorganization removes a frozen deposit from the frozen funds', async () => {
    const user = await service.newUser()
    const { depositId } = (await deposit(user, { result: 'rejected' })).body
    await followTransfer(service.ctx, { userId: user.userId, depositId }, 'reorganized')
    expect(await summaryOf(user)).toMatchObject({ spendable: 0n, nonSpendable: 0n, processing: 0n })
  })
})

describe('a refused deposit is returned to its sender', () => {
  const frozenDeposit = async (user: TestUser) => (await deposit(user, { result: 'rejected' })).body.depositId
  const returnTo = (depositId: string, state: 'signed' | 'returned') =>
    service.ctx.db
      .transaction((tx) => returnDeposit(service.ctx, tx, depositId, state))
      .then(() => checkedBooks(depositId))
  async function checkedBooks(depositId: string) {
    const [row] = await service.ctx.db.query<{ userId: string }>(
      'select user_id as "userId" from directory where lookup_key = $1',
      [directoryKey(`deposit_id:${depositId}`)],
    )
    expect(await checkUser(service.ctx, row?.userId ?? '')).toEqual([])
  }
  async function ledger(user: TestUser) {
    const [row] = await service.ctx.db.query<{ frozen: bigint; chain: bigint; loss: bigint }>(
      'select frozen, chain, loss from ledger_balance where user_id = $1',
      [user.userId],
    )
    return row
  }

  test('a deposit whose return is ordered cannot be approved, and its funds leave when the payout is final', async () => {
    const user = await service.newUser()
    const depositId = await frozenDeposit(user)
    const { output } = await runOperator(service, ['deposits', 'return', depositId, 'refused by screening'])
    const back = `100.000000000000000000 EURe go back to ${service.controls().screening.senderFor('rejected')}`
    expect(output).toContain(back)
    expect(await summaryOf(user)).toMatchObject({ nonSpendable: 100n, items: [{ status: 'rejected' }] })
    expect((await screen(depositId, 'approved')).body.error).toBe('INVALID_DEPOSIT_STATUS')

    const payoutId = /payout (\S+) is pending/.exec(output)?.[1]
    const settled = await service.sandbox('POST', `/withdrawals/${payoutId}`, { outcome: 'completed' })
    expect(settled.status).toBe(200)
    const after = await summaryOf(user)
    expect(after).toMatchObject({ spendable: 0n, nonSpendable: 0n })
    expect(after.items).toMatchObject([{ status: 'rejected', description: 'Deposit of EURe (RETURNED)' }])
    await checkedBooks(depositId)
  })

  test('a returned deposit that is reorganized away is a loss of the programme until it is final again', async () => {
    const user = await service.newUser()
    const depositId = await frozenDeposit(user)
    const key = { userId: user.userId, depositId }
    await returnTo(depositId, 'signed')
    await returnTo(depositId, 'returned')
    await followTransfer(service.ctx, key, 'reorganized')
    await checkedBooks(depositId)
    expect(await ledger(user)).toEqual({ frozen: 0n, chain: 100n * eur, loss: -100n * eur })
    await followTransfer(service.ctx, key, 'unfinal')
    await checkedBooks(depositId)
    await followTransfer(service.ctx, key, 'final')
    await checkedBooks(depositId)
    expect(await ledger(user)).toEqual({ frozen: 0n, chain: 0n, loss: 0n })
  })

  test('a returned deposit that is mined again stays lost until it is final', async () => {
    const user = await service.newUser()
    const depositId = await frozenDeposit(user)
    const key = { userId: user.userId, depositId }
    await returnTo(depositId, 'signed')
    await followTransfer(service.ctx, key, 'reorganized')
    await followTransfer(service.ctx, key, 'unfinal')
    await returnTo(depositId, 'returned')
    expect(await ledger(user)).toEqual({ frozen: 0n, chain: 100n * eur, loss: -100n * eur })
    await followTransfer(service.ctx, key, 'final')
    await checkedBooks(depositId)
    expect(await ledger(user)).toEqual({ frozen: 0n, chain: 0n, loss: 0n })
    expect(await summaryOf(user)).toMatchObject({ nonSpendable: 0n, processing: 0n, items: [{ status: 'rejected' }] })
  })

  test('a transfer that replaces a returned deposit is screened as a new deposit, and the returned amount stays lost', async () => {
    const user = await service.newUser()
    const { transfer, key } = await seen(user, { result: 'rejected' })
    const { depositId } = key
    await service.jobs.runDue()
    await returnTo(depositId, 'signed')
    await returnTo(depositId, 'returned')
    await followTransfer(service.ctx, key, 'reorganized')
    await service.ctx.db.transaction(async (tx) => {
      const account = await lockAccount(tx, user.userId)
      await followTransfers(service.ctx, tx, account, [{ ...transfer, amount: 7n * eur, chainState: 'final' }])
    })
    const other = (await findDepositByTransfer(service.ctx, user.userId, transfer))?.depositId ?? ''
    expect(other).not.toBe(depositId)
    expect((await screen(other, 'approved')).body).toEqual({ depositId: other, status: 'approved' })
    await checkedBooks(depositId)
    await checkedBooks(other)
    expect(await summaryOf(user)).toMatchObject({ spendable: 7n, nonSpendable: 0n, processing: 0n })
    expect(await ledger(user)).toEqual({ frozen: 0n, chain: 93n * eur, loss: -100n * eur })
  })

  test('a deposit that is reorganized away during its return is lost when the payout is final', async () => {
    const user = await service.newUser()
    const depositId = await frozenDeposit(user)
    await returnTo(depositId, 'signed')
    await followTransfer(service.ctx, { userId: user.userId, depositId }, 'reorganized')
    expect(await ledger(user)).toEqual({ frozen: 0n, chain: 0n, loss: 0n })
    await returnTo(depositId, 'returned')
    expect(await ledger(user)).toEqual({ frozen: 0n, chain: 100n * eur, loss: -100n * eur })
  })
})

describe('deposit requests are checked', () => {
  test.each([
    ['an unknown user', { userId: unknownId }, 404],
    ['an unknown token', { token: '0x00000000000000000000000000000000000000AA' }, 422],
    ['a wrong checksum', { token: '0xCB444e90D8198415266c6a2724b7900fb12FC56E' }, 400],
    ['an amount of zero', { amount: '0' }, 400],
    ['an amount that is a number', { amount: 100 }, 400],
    ['an amount of 61 digits', { amount: '9'.repeat(61) }, 400],
    ['an unknown screening result', { result: 'maybe' }, 400],
    ['a malformed user id', { userId: 'me' }, 400],
  ])('the simulator rejects a deposit with %s', async (_what, change, status) => {
    const answer = await service.sandbox('POST', '/deposits', {
      userId: unknownId,
      token: euro(),
      amount: '1',
      ...change,
    })
    expect(answer.status).toBe(status)
    expect(answer.body.success).toBe(false)
  })

  test('the simulator distinguishes an unknown user from a user without an account', async () => {
    const user = await service.newUser()
    await service.ctx.db.query('delete from account where user_id = $1', [user.userId])
    expect((await deposit(user)).body).toEqual({ success: false, error: 'ACCOUNT_NOT_FOUND' })
    expect((await deposit(user, { userId: unknownId })).body).toEqual({ success: false, error: 'USER_NOT_FOUND' })
  })

  test('the simulator accepts a token address in lower case', async () => {
    const user = await service.newUser()
    expect((await deposit(user, { token: euro().toLowerCase() })).status).toBe(201)
  })

  test('the simulator screens deposits only with its password, a known deposit and a result', async () => {
    const body = { userId: unknownId, token: euro(), amount: '1' }
    expect((await service.request('POST', '/sandbox/deposits', { body })).body.error).toBe('SANDBOX_UNAUTHORIZED')
    const bare = await service.request('POST', `/sandbox/deposits/${unknownId}/screening`, {
      body: { result: 'approved' },
    })
    expect(bare.status).toBe(401)
    expect((await screen(unknownId, 'approved')).body).toEqual({ success: false, error: 'DEPOSIT_NOT_FOUND' })
    expect((await screen(unknownId, 'pending')).status).toBe(400)
    expect((await screen('no-uuid', 'approved')).status).toBe(400)
  })

  test('a repeated idempotency key returns the same deposit, byte for byte', async () => {
    const user = await service.newUser()
    const key = { 'idempotency-key': randomUUID() }
    const body = { userId: user.userId, token: euro(), amount: String(eur) }
    const first = await service.sandbox('POST', '/deposits', body, key)
    const second = await service.sandbox('POST', '/deposits', body, key)
    expect(second).toMatchObject({ status: 201, text: first.text })
    expect(await summaryOf(user)).toMatchObject({ spendable: 1n })
    const other = await service.sandbox('POST', '/deposits', { ...body, amount: '1' }, key)
    expect(other).toMatchObject({ status: 422, body: { error: 'IDEMPOTENCY_KEY_REUSED' } })
  })

  test('the deposit list is newest first, and contains only the deposits of the caller', async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    expect((await summaryOf(other)).deposits).toEqual([])
    for (const amount of ['1', '2', '3']) await deposit(user, { amount })
    const amounts = (await summaryOf(user)).deposits.map((record: { amount: string }) => record.amount)
    expect(amounts).toEqual(['3', '2', '1'])
    expect((await summaryOf(other)).deposits).toEqual([])
  })

  test('the deposit list needs an access token and an account', async () => {
    expect((await service.request('GET', '/user/deposits')).body).toEqual({ success: false, error: 'UNAUTHORIZED' })
    const user = await service.newUser()
    await service.ctx.db.query('delete from account where user_id = $1', [user.userId])
    const answer = await service.request('GET', '/user/deposits', { token: user.token })
    expect(answer).toMatchObject({ status: 404, body: { success: false, error: 'ACCOUNT_NOT_FOUND' } })
  })

  test('a removed owner cannot read the deposits', async () => {
    const user = await service.newUser()
    await deposit(user)
    await service.ctx.db.query('delete from owner where user_id = $1', [user.userId])
    const answer = await service.request('GET', '/user/deposits', { token: user.token })
    expect(answer).toMatchObject({ status: 401, body: { success: false, error: 'ACCESS_REVOKED' } })
  })
})

test('the statement items of deposits equal the items rebuilt from the table', async () => {
  const user = await service.newUser()
  await deposit(user)
  await deposit(user, { result: 'rejected' })
  const { key } = await seen(user)
  await followTransfer(service.ctx, key, 'reorganized')
  const rebuilt = (await rebuildDepositItems(service.ctx, user.userId)).sort((a, b) => (a.itemId < b.itemId ? -1 : 1))
  expect(rebuilt.map(({ item }) => item)).toEqual(await storedItems(user.userId))
})
