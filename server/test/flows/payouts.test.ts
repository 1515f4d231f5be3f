import { type Hex, parseGwei } from 'viem'
import { describe, expect, test } from 'vitest'
import { rejectMissingTokens } from '../../src/money/reconcile/missing-tokens.ts'
import type { ChainProvider } from '../../src/providers/chain/chain.ts'
import { usePayouts } from '../support/chain/payout-chain.ts'
import { startService, type TestUser } from '../support/service.ts'

/** Withdrawals on a real chain. Each test runs the due work and mines the blocks itself. */
const eur = 10n ** 18n

const { chain, service, startOther, newFundedUser, withdraw, work, withEmptyWallet, viewOf } = usePayouts({
  env: { PAYOUT_BUMP_SECONDS: '30' },
})

async function summaryOf(user: TestUser) {
  const { balances, statement } = await viewOf(user)
  const { spendable, processingWithdrawals, tokens } = balances
  const { maxInstantWithdraw } = tokens[0]
  return {
    spendable: BigInt(spendable),
    processing: BigInt(processingWithdrawals),
    maxInstantWithdraw,
    item: statement[0],
  }
}

const alarms = (reason: string) => service.metric('payoutAlarms', { reason })

/** Replaces functions of the service's chain, to simulate a failure. */
const withChain = (change: Partial<ChainProvider>) => {
  const { chain } = service.ctx
  Object.assign(chain, change)
}

describe('a payout is sent until it is final', () => {
  test('a final payout has paid the requesting wallet, and its gas is in the ledger but not in the balances', async () => {
    const user = await newFundedUser()
    await withdraw(user, 30n * eur)
    await service.jobs.runDue()
    const sent = await summaryOf(user)
    expect(sent).toMatchObject({ spendable: 70n * eur, processing: 30n * eur, item: { status: 'processing' } })

    await chain.anvil.client.mine({ blocks: 1 })
    await work()
    expect(await chain.paidTo(user.wallet.address)).toEqual([30n * eur])
    expect((await summaryOf(user)).item).toEqual(sent.item)

    await chain.mineToFinality()
    await work()
    const done = await summaryOf(user)
    expect(done).toMatchObject({ spendable: 70n * eur, processing: 0n })
    expect(done.item).toEqual({ ...sent.item, status: 'completed' })
    const { gasUsed, effectiveGasPrice } = await chain.anvil.client.getTransactionReceipt({ hash: done.item.txHash })
    const books = await service.ctx.db.query('select token, gas, chain from ledger_balance where user_id = $1', [
      user.userId,
    ])
    const fee = gasUsed * effectiveGasPrice
    expect(books).toContainEqual({ token: `native:${chain.anvil.chainId}`, gas: -fee, chain: fee })
    // The native coin is in the ledger, but TOKENS cannot name it.
    await rejectMissingTokens(service.ctx)
    expect(await chain.paidTo(user.wallet.address)).toEqual([30n * eur])
  })

  test('a reverted payout returns the funds to the user, and its gas is spent', async () => {
    const user = await newFundedUser()
    await withdraw(user, 40n * eur)
    await service.jobs.runDue()
    await withEmptyWallet(() => chain.mineToFinality())
    await work()
    expect(await summaryOf(user)).toMatchObject({ spendable: 100n * eur, processing: 0n, item: { status: 'failed' } })
    const [native] = await service.ctx.db.query<{ gas: bigint }>(
      `select gas from ledger_balance where user_id = $1 and token like 'native:%'`,
      [user.userId],
    )
    expect(native?.gas).toBeLessThan(0n)
    expect(await chain.paidTo(user.wallet.address)).toEqual([])
  })

  test('a payout that waits too long gets a fee bump with the same nonce, and is paid once', async () => {
    const user = await newFundedUser()
    const withdrawalId = await withdraw(user, 10n * eur)
    await service.jobs.runDue()
    const first = (await summaryOf(user)).item.txHash
    // A base fee above the offered fee keeps the payout out of the next block.
    await chain.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') })
    await chain.anvil.client.mine({ blocks: 1 })
    await work(31)
    await work(31)
    const bumps = await service.ctx.db.query<{ nonce: bigint; txHash: string }>(
      `select f.nonce, f.tx_hash as "txHash" from payout_fee_bump f join payout_transaction p
       on p.chain_id = f.chain_id and p.signer = f.signer and p.nonce = f.nonce where p.withdrawal_id = $1 order by bump`,
      [withdrawalId],
    )
    expect(bumps.length).toBeGreaterThanOrEqual(2)
    await chain.mineToFinality()
    await work()
    const { item } = await summaryOf(user)
    expect(item).toMatchObject({ status: 'completed', txHash: bumps.at(-1)?.txHash })
    expect(item.txHash).not.toBe(first)
    expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])
  })

  test('a payout whose first transaction is mined after a fee bump is paid once and shows that transaction', async () => {
    const user = await newFundedUser()
    await withdraw(user, 10n * eur)
    await service.jobs.runDue()
    const first = (await summaryOf(user)).item.txHash
    // The fee bump is stored but never reaches the node.
    const send = service.ctx.chain.sendPayout
    withChain({ sendPayout: async () => {} })
    await work(31)
    await work(31)
    withChain({ sendPayout: send })
    await chain.mineToFinality()
    await work()
    expect((await summaryOf(user)).item).toMatchObject({ status: 'completed', txHash: first })
    expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])
  })

  test('a payout that the node dropped is sent again with the same bytes', async () => {
    const user = await newFundedUser()
    await withdraw(user, 10n * eur)
    await service.jobs.runDue()
    const { txHash } = (await summaryOf(user)).item
    await chain.anvil.rpc('anvil_dropTransaction', [txHash])
    await chain.mineToFinality()
    await service.advance(5)
    expect((await summaryOf(user)).item).toMatchObject({ status: 'processing', txHash })
    await chain.mineToFinality()
    await work()
    expect((await summaryOf(user)).item).toMatchObject({ status: 'completed', txHash })
  })

  test('a payout whose block is reorganized away is paid once, in another block', async () => {
    const user = await newFundedUser()
    await withdraw(user, 10n * eur)
    await service.jobs.runDue()
    await chain.anvil.client.mine({ blocks: 1 })
    await work()
    await chain.anvil.rpc('anvil_reorg', [1, []])
    expect(await chain.paidTo(user.wallet.address)).toEqual([])
    await work()
    await chain.mineToFinality()
    await work()
    expect((await summaryOf(user)).item).toMatchObject({ status: 'completed' })
    expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])
  })

  test('a payout that the chain does not know stays processing, and fails only when another transaction used its nonce', async () => {
    const user = await newFundedUser()
    await withdraw(user, 10n * eur)
    const { sendPayout } = service.ctx.chain
    withChain({ sendPayout: async () => {} })
    await service.jobs.runDue()
    await service.advance(30 * 24 * 3600)
    expect((await summaryOf(user)).item).toMatchObject({ status: 'processing' })

    await chain.anvil.client.impersonateAccount({ address: chain.signer })
    await chain.anvil.rpc('eth_sendTransaction', [{ from: chain.signer, to: chain.signer }])
    await chain.anvil.client.stopImpersonatingAccount({ address: chain.signer })
    await chain.anvil.client.mine({ blocks: 1 })
    await work()
    expect((await summaryOf(user)).item).toMatchObject({ status: 'processing' })
    await chain.mineToFinality()
    await work()
    withChain({ sendPayout })
    expect(await summaryOf(user)).toMatchObject({ spendable: 100n * eur, item: { status: 'failed' } })
    expect(await alarms('replaced')).toBe(1)
    expect(await chain.paidTo(user.wallet.address)).toEqual([])
  })
})

test('a payout that is not mined after ten fee bumps gets another fee bump only after the fees of the chain rise', async () => {
  const mineAt = async (gwei: string) => {
    await chain.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) })
    await chain.anvil.client.mine({ blocks: 1 })
  }
  const user = await newFundedUser()
  await mineAt('1')
  const withdrawalId = await withdraw(user, 10n * eur)
  await service.jobs.runDue()
  await mineAt('5')
  const bumps = async () => {
    const [row] = await service.ctx.db.query<{ count: number }>(
      `select count(*)::int as count from payout_fee_bump f join payout_transaction p
       on p.chain_id = f.chain_id and p.signer = f.signer and p.nonce = f.nonce where p.withdrawal_id = $1`,
      [withdrawalId],
    )
    return row?.count
  }
  for (let i = 0; i < 14; i++) await work()
  expect(await bumps()).toBe(10)
  expect(await alarms('stuck')).toBeGreaterThan(0)
  await mineAt('100')
  await work()
  expect(await bumps()).toBe(11)
  await chain.mineToFinality()
  await work()
  expect((await summaryOf(user)).item).toMatchObject({ status: 'completed' })
})

test('a payout that an earlier key signed is sent again unchanged, and never signed by the new key', async () => {
  const user = await newFundedUser()
  await withdraw(user, 10n * eur)
  const { sendPayout } = service.ctx.chain
  withChain({ sendPayout: async () => {} })
  await service.jobs.runDue()
  withChain({ sendPayout })
  const { txHash } = (await summaryOf(user)).item

  const newKey: Hex = `0x${'43'.repeat(32)}`
  const rotated = await startOther(service.connection, (ctx) => chain.alterWith(ctx, { key: newKey }))
  try {
    await rotated.advance(31)
    await rotated.jobs.runDue()
    const signed = await rotated.ctx.db.query(
      `select f.tx_hash from payout_fee_bump f join payout_transaction p
       on p.chain_id = f.chain_id and p.signer = f.signer and p.nonce = f.nonce where p.user_id = $1`,
      [user.userId],
    )
    expect(signed).toEqual([])
    expect(await rotated.metric('payoutAlarms', { reason: 'stuck' })).toBeGreaterThan(0)
    await chain.mineToFinality()
    await rotated.advance(60)
    await rotated.jobs.runDue()
  } finally {
    await rotated.stop()
  }
  expect((await summaryOf(user)).item).toMatchObject({ status: 'completed', txHash })
  expect(await chain.paidTo(user.wallet.address)).toEqual([10n * eur])
})

describe('the payout queue keeps the order of nonces and the funds of its wallet', () => {
  test('a payout behind an unsent nonce sends that nonce first', async () => {
    const [one, other] = [await newFundedUser(), await newFundedUser()]
    await withdraw(one, 10n * eur)
    const { sendPayout } = service.ctx.chain
    withChain({ sendPayout: () => Promise.reject(new Error('the process ends here')) })
    await service.jobs.runDue()
    withChain({ sendPayout })
    // Only the due work of the second payout runs. That of the first is due in the year 2100.
    await service.ctx.db.query(`update withdrawal set due_at = '2100-01-01' where user_id = $1`, [one.userId])
    await withdraw(other, 20n * eur)
    await service.jobs.runDue()
    await chain.mineToFinality()
    await work()
    expect((await summaryOf(other)).item).toMatchObject({ status: 'completed' })
    expect(await chain.paidTo(one.wallet.address)).toEqual([10n * eur])
    await service.ctx.db.query('update withdrawal set due_at = created_at where user_id = $1', [one.userId])
    await work()
    expect((await summaryOf(one)).item).toMatchObject({ status: 'completed' })
  })

  test('two processes with one signer pay ten withdrawals once each, without a nonce gap', async () => {
    const second = await startService({
      connection: service.connection,
      worker: false,
      env: chain.env,
      alter: chain.alter,
    })
    try {
      const users = await Promise.all(Array.from({ length: 10 }, () => newFundedUser(eur)))
      await Promise.all(users.map((user) => withdraw(user, eur)))
      await Promise.all([service.jobs.runDue(), second.jobs.runDue()])
      await Promise.all([service.jobs.runDue(), second.jobs.runDue()])
      await chain.mineToFinality()
      await work()
      for (const user of users) {
        expect((await summaryOf(user)).item).toMatchObject({ status: 'completed' })
        expect(await chain.paidTo(user.wallet.address)).toEqual([eur])
      }
    } finally {
      await second.stop()
    }
    const rows = await service.ctx.db.query<{ nonce: bigint }>('select nonce from payout_transaction order by nonce')
    const used = await chain.anvil.client.getTransactionCount({ address: chain.signer })
    expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, i) => BigInt(i)))
    expect(rows).toHaveLength(used)
  })

  test('a withdrawal that the payout wallet cannot pay waits and raises an alarm, and maxInstantWithdraw shows the free funds', async () => {
    const user = await newFundedUser(100n * eur)
    await chain.setHeld(30n * eur)
    await service.advance(3)
    expect((await summaryOf(user)).maxInstantWithdraw).toBe(String(30n * eur))
    await withdraw(user, 40n * eur)
    await work()
    expect(await summaryOf(user)).toMatchObject({
      processing: 40n * eur,
      maxInstantWithdraw: '0',
      item: { status: 'pending' },
    })
    expect(await alarms('low_funds')).toBeGreaterThan(0)
    await chain.fund(1000n * eur)
    await work()
    await chain.mineToFinality()
    await work()
    expect(await summaryOf(user)).toMatchObject({
      processing: 0n,
      maxInstantWithdraw: String(60n * eur),
      item: { status: 'completed' },
    })
  })

  test('a withdrawal waits unsigned while the payout wallet has no gas', async () => {
    const user = await newFundedUser(100n * eur)
    await chain.anvil.client.setBalance({ address: chain.signer, value: 1000n })
    await service.advance(3)
    await withdraw(user, 10n * eur)
    await work()
    expect(await summaryOf(user)).toMatchObject({ maxInstantWithdraw: '0', item: { status: 'pending', txHash: null } })
    expect(await alarms('no_gas')).toBeGreaterThan(0)
    await chain.anvil.client.setBalance({ address: chain.signer, value: eur })
    await work()
    await chain.mineToFinality()
    await work()
    expect((await summaryOf(user)).item).toMatchObject({ status: 'completed' })
  })

  test('a mined payout no longer reserves funds of the payout wallet, even before it is final', async () => {
    const user = await newFundedUser(100n * eur)
    await chain.setHeld(100n * eur)
    await withdraw(user, 60n * eur)
    await service.jobs.runDue()
    await chain.anvil.client.mine({ blocks: 1 })
    await work(5)
    expect(await summaryOf(user)).toMatchObject({ processing: 60n * eur, maxInstantWithdraw: String(40n * eur) })
    await chain.mineToFinality()
    await work()
    expect(await summaryOf(user)).toMatchObject({ processing: 0n, maxInstantWithdraw: String(40n * eur) })
  })
})
