import { type Hex, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { followTransfer } from '../../src/money/deposits/deposits.ts'
import { advanceWithdrawal } from '../../src/money/withdrawals/payouts.ts'
import { findLostPayouts } from '../../src/money/withdrawals/recover-payouts.ts'
import type { PayoutState } from '../../src/providers/chain/chain.ts'
import { setTokenBalance } from '../support/chain/anvil.ts'
import { usePayouts } from '../support/chain/payout-chain.ts'
import { newOperator, propose } from '../support/console.ts'
import { runMoneyCommand, runOperator } from '../support/operator.ts'
import type { TestService, TestUser } from '../support/service.ts'

/** Operator decisions about payouts, on a real chain. Each test mines the blocks itself. */
const eur = 10n ** 18n

const { chain, service, startOther, backUp, restore, deposit, withdraw, work, withEmptyWallet } = usePayouts({
  env: { PAYOUT_BUMP_SECONDS: '30' },
})
/** Starts a second service. `hear` can delay or change the payout states that the chain reports to it. */
const start = (connection: TestService['connection'], hear = async (state: PayoutState) => state) =>
  startOther(connection, (ctx) => ({
    ...ctx,
    chain: { ...ctx.chain, payoutState: async (payout) => hear(await ctx.chain.payoutState(payout)) },
  }))

const tell = (typed: string, ...given: string[]) => runMoneyCommand(service, typed, ...given)
const giveBack = (depositId: string) => tell('deposits return <id> <reason>', depositId, 'refused by screening')
const decide = (...given: string[]) => tell('payouts decide <id> <decision> <reason>', ...given)
const cancel = (...given: string[]) => tell('payouts cancel <id> <reason>', ...given)

async function summaryOf(user: TestUser) {
  const token = await service.signIn(user.wallet)
  const get = async (path: string) => (await service.request('GET', path, { token })).body.data
  const [{ spendable, nonSpendable, processingWithdrawals }] = await get('/user/balances/v2')
  const { length: withdrawals } = await get('/user/withdrawals')
  const [own, frozen, processing] = [spendable, nonSpendable, processingWithdrawals].map(BigInt)
  return { own, frozen, processing, withdrawals, items: await get('/user/statement') }
}

async function settle(): Promise<void> {
  await work(5)
  await chain.mineToFinality()
  await work()
}

const gasOf = async ({ userId }: TestUser) => {
  const sql = `select gas from ledger_balance where user_id = $1 and token like 'native:%'`
  return (await service.ctx.db.query<{ gas: bigint }>(sql, [userId]))[0]?.gas ?? 0n
}
const payoutOf = (output: string) => /payout (\S+) is/.exec(output)?.[1] ?? ''
const overturn = (depositId: string) =>
  service.sandbox('POST', `/deposits/${depositId}/screening`, { result: 'approved' })

/** The code of a token that returns true for every call and transfers nothing. */
const yes: Hex = '0x600160005260206000f3'
async function silently(happens: () => Promise<void>): Promise<void> {
  const { client } = chain.anvil
  const bytecode = (await client.getCode({ address: chain.token })) ?? '0x'
  await client.setCode({ address: chain.token, bytecode: yes })
  await happens()
  await client.setCode({ address: chain.token, bytecode })
}

const sender = () => service.controls().screening.senderFor('rejected')
/** Returns a function that lists the payments to the sender from now on. */
async function gotBack(): Promise<() => Promise<bigint[]>> {
  const before = (await chain.paidTo(sender())).length
  return async () => (await chain.paidTo(sender())).slice(before)
}

describe('an operator returns a refused deposit', () => {
  test('a return that is ordered repeatedly is paid once, and leaves the ledger when it is final', async () => {
    const user = await service.newUser()
    const paid = await gotBack()
    const depositId = await deposit(user, 30n * eur, 'rejected')
    const { output } = await runOperator(
      service,
      ['deposits', 'return', depositId, 'refused', 'by', 'screening'],
      chain.env,
    )
    expect(output).toMatch(/^30\.0+ EURe go back to 0x\w{40}: payout \S+ is pending\. See "payouts list"\.\n$/)
    expect((await overturn(depositId)).body.error).toBe('INVALID_DEPOSIT_STATUS')
    expect(await tell('payouts list')).toContain(`return of deposit ${depositId} of user ${user.userId}: 30.0`)

    const second = await start(service.connection)
    await Promise.all([service.jobs.runDue(), second.jobs.runDue(), giveBack(depositId)])
    await second.stop()
    const sent = await summaryOf(user)
    expect(sent).toMatchObject({ own: 0n, frozen: 30n * eur, processing: 0n, withdrawals: 0 })
    expect(sent.items).toMatchObject([{ type: 'deposit', status: 'rejected', description: 'Deposit of EURe' }])
    expect(payoutOf(await giveBack(depositId))).toBe(payoutOf(output))

    await settle()
    const done = await summaryOf(user)
    expect(done).toMatchObject({ own: 0n, frozen: 0n, processing: 0n, withdrawals: 0 })
    expect(done.items).toMatchObject([{ status: 'rejected', description: 'Deposit of EURe (RETURNED)' }])
    expect(await gasOf(user)).toBeLessThan(0n)
    await giveBack(depositId).catch(() => {})
    await settle()
    expect(await paid()).toEqual([30n * eur])
    expect(await tell('payouts list')).toBe('')
    const { output: decisions } = await runOperator(service, ['decisions', 'list'], chain.env)
    expect(decisions).toContain(`ada  deposits return  ${depositId}  refused by screening`)
  })

  test('a slow return gets a fee bump, and a reverted return can be ordered again', async () => {
    const user = await service.newUser()
    const paid = await gotBack()
    const depositId = await deposit(user, 40n * eur, 'rejected')
    const first = payoutOf(await giveBack(depositId))
    await service.jobs.runDue()
    await chain.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') })
    await chain.anvil.client.mine({ blocks: 1 })
    await work(31)
    await work(31)
    const sql = `select bump from payout_fee_bump f join payout_transaction p on p.nonce = f.nonce and p.signer = f.signer
      where p.withdrawal_id = $1`
    expect(await service.ctx.db.query(sql, [first])).not.toEqual([])
    await withEmptyWallet(() => chain.mineToFinality())
    await work()
    expect(await summaryOf(user)).toMatchObject({ frozen: 40n * eur, items: [{ description: 'Deposit of EURe' }] })
    expect(await gasOf(user)).toBeLessThan(0n)

    expect(payoutOf(await giveBack(depositId))).toBe(first)
    await settle()
    expect(await summaryOf(user)).toMatchObject({ frozen: 0n, items: [{ description: 'Deposit of EURe (RETURNED)' }] })
    expect(await paid()).toEqual([40n * eur])
  })

  test('an unsigned return can be canceled, and the rejection overturned', async () => {
    const user = await service.newUser()
    const paid = await gotBack()
    const depositId = await deposit(user, 20n * eur, 'rejected')
    const payoutId = payoutOf(await giveBack(depositId))
    expect(await cancel(payoutId, 'the sender was cleared')).toContain('is canceled')
    expect((await overturn(depositId)).status).toBe(200)
    await settle()
    expect(await summaryOf(user)).toMatchObject({ own: 20n * eur, frozen: 0n })
    expect(await paid()).toEqual([])
    expect(await tell('decisions list')).toContain(`payouts cancel  ${payoutId}  the sender was cleared`)
  })

  test('an unsigned return whose deposit is reorganized away is not paid', async () => {
    const user = await service.newUser()
    const paid = await gotBack()
    const depositId = await deposit(user, 20n * eur, 'rejected')
    await giveBack(depositId)
    await followTransfer(service.ctx, { userId: user.userId, depositId }, 'reorganized')
    await settle()
    expect(await summaryOf(user)).toMatchObject({ frozen: 0n, items: [{ description: 'Deposit of EURe (REORGED)' }] })
    expect(await paid()).toEqual([])
    expect(await tell('payouts list')).toBe('')
  })

  test('a return is paid once even if a restored database lacks the decision', async () => {
    const user = await service.newUser()
    const paid = await gotBack()
    const depositId = await deposit(user, 50n * eur, 'rejected')
    const [before, other] = [await backUp(), await backUp()]
    await giveBack(depositId)
    await settle()
    const view = await summaryOf(user)

    await restore(before)
    expect(await summaryOf(user)).toMatchObject({ frozen: 50n * eur })
    // The operator can repeat the decision before the service has checked the chain.
    await giveBack(depositId)
    await findLostPayouts(service.ctx)
    await settle()
    expect(await summaryOf(user)).toEqual(view)
    expect(await paid()).toEqual([50n * eur])

    // Without a decision, the service finds the payout on the chain and posts it.
    await restore(other)
    await findLostPayouts(service.ctx)
    await settle()
    expect(await summaryOf(user)).toEqual(view)
    expect(await paid()).toEqual([50n * eur])
  })

  test('only a known, rejected deposit can be returned', async () => {
    const user = await service.newUser()
    const approved = await deposit(user, eur, 'approved')
    await expect(giveBack(approved)).rejects.toThrow('does not allow')
    await expect(giveBack(user.userId)).rejects.toThrow('No deposit has this id. Check the id.')
  })
})

describe('an operator resolves an unpaid payout', () => {
  async function unpaid(amount: bigint): Promise<{ user: TestUser; id: string }> {
    const user = await service.newUser()
    await deposit(user, 100n * eur, 'approved')
    const id = await withdraw(user, amount)
    await service.jobs.runDue()
    await expect(decide(id, 'refund', 'early')).rejects.toThrow('not known to be final and unpaid')
    await silently(() => chain.mineToFinality())
    await work()
    expect(await tell('payouts list')).toMatch(
      new RegExp(`${id} .* processing, nonce \\d+, 0x\\w{64}: FINAL AND PAID NOBODY`),
    )
    expect(await summaryOf(user)).toMatchObject({ processing: amount, items: [{ status: 'processing' }, {}] })
    return { user, id }
  }

  /** Starts another process, which has read the payout state and continues when `mayGoOn` is called. */
  async function slowly({ userId }: TestUser, id: string): Promise<{ mayGoOn: () => Promise<void> }> {
    const [heard, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = await start(service.connection, async (state) => {
      heard.resolve()
      await released.promise
      return state
    })
    const saying = advanceWithdrawal(slow.ctx, { userId, id })
    await heard.promise
    return {
      async mayGoOn() {
        released.resolve()
        await saying
        await slow.stop()
      },
    }
  }

  test('an unpaid payout waits for an operator, and the decision to refund returns the funds to the user', async () => {
    const { user, id } = await unpaid(10n * eur)
    await work(30 * 24 * 3600)
    expect(await summaryOf(user)).toMatchObject({ processing: 10n * eur })
    const words = ['payouts', 'decide', id, 'refund', 'the', 'token', 'was', 'paused']
    expect(await runOperator(service, words, chain.env)).toEqual({
      code: 0,
      output: expect.stringMatching(/final and paid nobody, the user gets the money back\.\n$/),
    })
    await settle()
    expect(await summaryOf(user)).toMatchObject({ own: 100n * eur, processing: 0n, items: [{ status: 'failed' }, {}] })
    expect(await gasOf(user)).toBeLessThan(0n)
    expect(await chain.paidTo(user.wallet.address)).toEqual([])
    await expect(decide(id, 'again', 'too late')).rejects.toThrow('not known to be final and unpaid')
    expect(await tell('decisions list')).toContain(`payouts decide refund  ${id}  the token was paused`)
  })

  test('the decision to pay an unpaid payout again uses a new nonce, and the ledger has the gas of both', async () => {
    const { user, id } = await unpaid(10n * eur)
    const again = { command: 'payouts decide', subject: id, arguments: { decision: 'again' } }
    const operator = await newOperator(service, 'money')
    expect((await propose(operator, again)).body).toMatchObject({ status: 'executed', state: { unpaid: 'open' } })
    await settle()
    await settle()
    expect(await summaryOf(user)).toMatchObject({
      own: 90n * eur,
      processing: 0n,
      items: [{ status: 'completed' }, {}],
    })
    expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])
    const gas = `select count(*)::int as payouts from posting where user_id = $1 and from_account = 'gas'`
    expect(await service.ctx.db.query(gas, [user.userId])).toEqual([{ payouts: 2 }])
    const sql = 'select count(*)::int as nonces from payout_transaction where withdrawal_id = $1'
    expect(await service.ctx.db.query(sql, [id])).toEqual([{ nonces: 2 }])
  })

  test('a restored service finds a payout that was paid again with a new key after the backup', async () => {
    const { user, id } = await unpaid(10n * eur)
    const before = await backUp()
    await decide(id, 'again', 'the token works')
    const newKey: Hex = `0x${'43'.repeat(32)}`
    const holder = privateKeyToAccount(newKey).address
    await chain.anvil.client.setBalance({ address: holder, value: eur })
    await setTokenBalance(chain.anvil, { token: chain.token, holder, amount: 100n * eur })
    const withNewKey = (connection: TestService['connection'], run: (rotated: TestService) => Promise<void>) =>
      startOther(connection, (ctx) => chain.alterWith(ctx, { key: newKey })).then((one) => run(one).finally(one.stop))
    await withNewKey(service.connection, async ({ jobs }) => {
      await jobs.runDue()
      await chain.mineToFinality()
    })
    expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])

    await withNewKey(before, async (restored) => {
      await findLostPayouts(restored.ctx)
      await restored.advance(60)
      await restored.jobs.runDue()
      const sql = 'select status, unpaid from withdrawal where user_id = $1 and withdrawal_id = $2'
      expect(await restored.ctx.db.query(sql, [user.userId, id])).toEqual([{ status: 'completed', unpaid: null }])
    })
    await settle()
  })

  test('a restored service finds a second payout from after the backup, and signs no third one', async () => {
    const user = await service.newUser()
    await deposit(user, 100n * eur, 'approved')
    const id = await withdraw(user, 10n * eur)
    const before = await backUp()
    await service.jobs.runDue()
    await silently(() => chain.mineToFinality())
    await work()
    await decide(id, 'again', 'the token works')
    await settle()

    await restore(before)
    await findLostPayouts(service.ctx)
    await work()
    // Until the first payout is known to be unpaid, the second one is not recorded.
    await decide(id, 'again', 'the token works')
    await settle()
    await settle()
    expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])
    expect(await summaryOf(user)).toMatchObject({
      own: 90n * eur,
      processing: 0n,
      items: [{ status: 'completed' }, {}],
    })
  })

  test('an unpaid payout is paid again only once, even if another process reports the first payout late', async () => {
    const { user, id } = await unpaid(10n * eur)
    await decide(id, 'again', 'the token works')
    const { mayGoOn } = await slowly(user, id)
    await work()
    expect(await summaryOf(user)).toMatchObject({ items: [{ status: 'processing' }, {}] })
    await mayGoOn()
    await settle()
    await settle()
    expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])
    expect(await summaryOf(user)).toMatchObject({
      own: 90n * eur,
      processing: 0n,
      items: [{ status: 'completed' }, {}],
    })
  })

  test('a decision stands even if a process reports the unpaid payout after it', async () => {
    const user = await service.newUser()
    await deposit(user, 100n * eur, 'approved')
    const id = await withdraw(user, 10n * eur)
    await service.jobs.runDue()
    await silently(() => chain.mineToFinality())
    const { mayGoOn } = await slowly(user, id)
    await work()
    await decide(id, 'refund', 'the token was paused')
    await mayGoOn()
    await settle()
    expect(await summaryOf(user)).toMatchObject({ own: 100n * eur, processing: 0n, items: [{ status: 'failed' }, {}] })
  })

  test('a decision stands although a node that lags behind does not know the payout or does not report it as final', async () => {
    const { user, id } = await unpaid(10n * eur)
    const { txHash } = (await summaryOf(user)).items[0]
    await decide(id, 'refund', 'the token was paused')
    const reports: PayoutState[] = [
      { status: 'unknown', next: null },
      { status: 'mined', txHash },
    ]
    for (const report of reports) {
      const lagging = await start(service.connection, async () => report)
      await advanceWithdrawal(lagging.ctx, { userId: user.userId, id })
      await lagging.stop()
    }
    await settle()
    expect(await summaryOf(user)).toMatchObject({ own: 100n * eur, processing: 0n, items: [{ status: 'failed' }, {}] })
  })

  test('an unpaid payout is completed when an operator decides that the payee was paid by other means', async () => {
    const { user, id } = await unpaid(10n * eur)
    await decide(id, 'paid', 'by hand, see ticket 7')
    await settle()
    expect(await summaryOf(user)).toMatchObject({
      own: 90n * eur,
      processing: 0n,
      items: [{ status: 'completed' }, {}],
    })
    expect(await chain.paidTo(user.wallet.address)).toEqual([])
  })

  test('a decision about a payout needs a known word and a reason', async () => {
    const { id } = await unpaid(10n * eur)
    await expect(decide(id, 'maybe', 'because')).rejects.toThrow('decision must be paid, refund or again.')
    expect(await runOperator(service, ['payouts', 'decide', id, 'refund'], chain.env)).toMatchObject({
      code: 2,
      output: expect.stringContaining('Usage'),
    })
    await decide(id, 'refund', 'enough')
    await settle()
  })
})

test('a queued withdrawal that an operator cancels is never paid, and its funds return to the user', async () => {
  const user = await service.newUser()
  await deposit(user, 100n * eur, 'approved')
  await withEmptyWallet(async () => {
    const id = await withdraw(user, 40n * eur)
    await work()
    await cancel(id, 'the user asked by phone')
  })
  await settle()
  expect(await summaryOf(user)).toMatchObject({ own: 100n * eur, processing: 0n, items: [{ status: 'failed' }, {}] })
  expect(await chain.paidTo(user.wallet.address)).toEqual([])
  const id = await withdraw(user, eur)
  await service.jobs.runDue()
  await expect(cancel(id, 'too late')).rejects.toThrow('Only a pending payout can be canceled')
  await settle()
  expect(await chain.paidTo(user.wallet.address)).toEqual([eur])
})
