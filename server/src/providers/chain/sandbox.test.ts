import { describe, expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import { chainContract } from './chain.contract.ts'
import { payoutsContract } from './payouts.contract.ts'
import { createSandboxChain } from './sandbox.ts'

const chainId = 31337
const token = '0xcB444e90D8198415266c6a2724b7900fb12FC56E'
const transfer = { chainId, token, fromAddress: token, toAddress: token, amount: 5n }

describe('the sandbox chain satisfies the contract of the port', () => {
  const { provider, controls } = createSandboxChain()
  controls.setPayoutFunds(token, 100n)
  chainContract(() => provider, { finalTransfer: () => controls.mineTransfer('one', transfer) })
  payoutsContract(() => provider, {
    chainId: () => chainId,
    token: () => token,
    settle: async (txHash, outcome) => controls.settlePayout(txHash, outcome),
  })
})

test('a sandbox transfer is identified by its id', () => {
  const { controls } = createSandboxChain()
  const { txHash } = controls.mineTransfer('one', transfer)
  expect(controls.mineTransfer('one', transfer).txHash).toBe(txHash)
  expect(controls.mineTransfer('two', transfer).txHash).not.toBe(txHash)
})

test('sandbox scripts control finality, reorganizations and payouts', async () => {
  const { provider, controls } = createSandboxChain()
  const mined = controls.mineTransfer('one', transfer)
  controls.setTransferState(mined, 'unfinal')
  expect(await provider.transferState?.(mined)).toBe('unfinal')
  controls.setTransferState(mined, 'reorganized')
  expect(await provider.transferState?.(mined)).toBe('reorganized')
  const payout = { ...transfer, nonce: 0n, withdrawalId: 'one' }
  const { txHash } = await provider.signPayout(payout)
  controls.settlePayout(txHash, 'reverted')
  const state = await provider.payoutState({ ...payout, signer: token, txHashes: [txHash] })
  expect(state).toEqual({ status: 'reverted', txHash, fee: 0n })
})

test('a scripted failure of the sandbox chain is an upstream error, and later calls succeed', async () => {
  const { provider, controls } = createSandboxChain()
  controls.failNext(1)
  await expect(provider.payoutNonce(chainId)).rejects.toThrow(UpstreamError)
  expect(await provider.payoutNonce(chainId)).toBe(0n)
})
