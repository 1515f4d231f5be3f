import { expect, test } from 'vitest'
import { newId } from '../../lib/id.ts'
import type { ChainPayouts, Payout } from './chain.ts'

/**
 * The contract of the chain port for payouts. The payout wallet holds some of `token`. `settle` mines a transaction
 * with the given outcome and makes it final.
 */
export function payoutsContract(
  provider: () => ChainPayouts,
  {
    chainId,
    token,
    settle,
  }: {
    chainId: () => number
    token: () => string
    settle: (txHash: string, outcome: 'paid' | 'reverted') => Promise<void>
  },
): void {
  const toAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

  async function nextPayout(ahead = 0n): Promise<Payout> {
    const nonce = (await provider().payoutNonce(chainId())) + ahead
    return { chainId: chainId(), token: token(), toAddress, amount: 7n, nonce, withdrawalId: newId(new Date()) }
  }

  async function stateOf(payout: Payout, ...txHashes: string[]) {
    return provider().payoutState({ ...payout, signer: await provider().payoutSigner(chainId()), txHashes })
  }

  const funds = () => provider().payoutFunds(chainId(), token())

  test('signing a payout returns a transaction without sending it', async () => {
    const payout = await nextPayout()
    const { txHash, signedTransaction } = await provider().signPayout(payout)
    expect(txHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(signedTransaction).toMatch(/^0x([0-9a-f]{2})+$/)
    expect(await stateOf(payout, txHash)).toMatchObject({ status: 'unknown' })
    expect(await provider().payoutNonce(chainId())).toBe(payout.nonce)
  })

  test('another nonce or another withdrawal gives another transaction', async () => {
    const payout = await nextPayout()
    const signed = [payout, { ...payout, nonce: payout.nonce + 1n }, { ...payout, withdrawalId: newId(new Date()) }]
    const hashes = await Promise.all(signed.map(async (one) => (await provider().signPayout(one)).txHash))
    expect(new Set(hashes).size).toBe(3)
  })

  test('a transaction that is sent three times pays once', async () => {
    const { amount, transactions } = await funds()
    expect(transactions).toBeGreaterThan(0n)
    const payout = await nextPayout()
    const { txHash, signedTransaction } = await provider().signPayout(payout)
    await provider().sendPayout(chainId(), signedTransaction)
    await provider().sendPayout(chainId(), signedTransaction)
    await settle(txHash, 'paid')
    await provider().sendPayout(chainId(), signedTransaction)
    expect(await stateOf(payout, txHash)).toMatchObject({ status: 'paid', txHash })
    expect((await funds()).amount).toBe(amount - 7n)
  })

  test('a transaction that was never sent is unknown, not failed', async () => {
    expect(await stateOf(await nextPayout(), `0x${'ab'.repeat(32)}`)).toMatchObject({ status: 'unknown' })
  })

  test('a payout that fails on chain is reverted', async () => {
    const { amount } = await funds()
    const payout = await nextPayout()
    const { txHash, signedTransaction } = await provider().signPayout(payout)
    await provider().sendPayout(chainId(), signedTransaction)
    await settle(txHash, 'reverted')
    expect(await stateOf(payout, txHash)).toMatchObject({ status: 'reverted', txHash })
    expect((await funds()).amount).toBe(amount)
  })

  test('a fee bump pays in place of the first transaction and is found among all hashes', async () => {
    const { amount } = await funds()
    const payout = await nextPayout()
    const first = await provider().signPayout(payout)
    await provider().sendPayout(chainId(), first.signedTransaction)
    const signer = await provider().payoutSigner(chainId())
    const bumped = await provider().bumpPayoutFee({ ...payout, signer }, first.signedTransaction, 'always')
    if (bumped === null) throw new Error('the ceiling is too low')
    await provider().sendPayout(chainId(), bumped.signedTransaction)
    await settle(bumped.txHash, 'paid')
    expect(await stateOf(payout, first.txHash, bumped.txHash)).toMatchObject({ status: 'paid', txHash: bumped.txHash })
    expect((await funds()).amount).toBe(amount - 7n)
  })
}
