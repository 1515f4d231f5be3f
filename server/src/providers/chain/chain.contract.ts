import { expect, test } from 'vitest'
import type { ChainProvider, TransferKey } from './chain.ts'

/** What every adapter of the chain port must do. `token` is one that the payout wallet holds some of. */
export function chainContract(
  provider: () => ChainProvider,
  {
    chainId,
    token,
    finalTransfer,
    mine,
  }: { chainId: number; token: string; finalTransfer: () => TransferKey; mine: (txHash: string) => void },
): void {
  const toAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const payout = (nonce: bigint) => ({ chainId, token, toAddress, amount: 1n, nonce })

  test('a mined transfer becomes final, where the chain is asked for it', async () => {
    const { transferState } = provider()
    if (transferState !== null) expect(await transferState(finalTransfer())).toBe('final')
  })

  test('signing makes a transaction hash and sends nothing', async () => {
    const { txHash, signedTransaction } = await provider().signPayout(payout(await provider().payoutNonce(chainId)))
    expect(txHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(signedTransaction).toMatch(/^0x([0-9a-f]{2})+$/)
    expect(await provider().payoutState(chainId, txHash)).toBe('unknown')
  })

  test('another nonce is another transaction', async () => {
    const nonce = await provider().payoutNonce(chainId)
    const [one, other] = await Promise.all([
      provider().signPayout(payout(nonce)),
      provider().signPayout(payout(nonce + 1n)),
    ])
    expect(one.txHash).not.toBe(other.txHash)
  })

  test('sending the same bytes again pays once', async () => {
    const held = await provider().payoutFunds(chainId, token)
    const { txHash, signedTransaction } = await provider().signPayout(payout(await provider().payoutNonce(chainId)))
    await provider().sendPayout(chainId, signedTransaction)
    await provider().sendPayout(chainId, signedTransaction)
    mine(txHash)
    expect(await provider().payoutState(chainId, txHash)).toBe('paid')
    expect(await provider().payoutFunds(chainId, token)).toBe(held - 1n)
  })

  test('a transaction that nobody has seen is unknown, not failed', async () => {
    expect(await provider().payoutState(chainId, `0x${'ab'.repeat(32)}`)).toBe('unknown')
  })
}
