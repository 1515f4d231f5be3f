import { describe, expect, test } from 'vitest'
import { UpstreamError } from '../../lib/refusal.ts'
import { createSandboxScreening } from './sandbox.ts'
import { screeningContract } from './screening.contract.ts'

const { provider, controls } = createSandboxScreening()

describe('the sandbox screening keeps the contract of the port', () => {
  screeningContract(() => provider, { clean: controls.senderFor('approved'), refused: controls.senderFor('rejected') })
})

test('it can leave a transfer without a verdict, and be down', async () => {
  const transfer = {
    chainId: 31337,
    txHash: `0x${'01'.repeat(32)}`,
    logPosition: 0,
    token: controls.senderFor('approved'),
    toAddress: controls.senderFor('approved'),
    fromAddress: controls.senderFor('pending'),
    amount: 1n,
  }
  expect(await provider.screen(transfer)).toEqual({ result: 'pending', riskScore: 0, riskTier: 'unknown' })
  controls.failNext(1)
  await expect(provider.screen(transfer)).rejects.toThrow(UpstreamError)
})
