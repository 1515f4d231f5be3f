import { expect, test } from 'vitest'
import type { ScreeningProvider } from './screening.ts'

export const screenedTransfer = {
  userId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
  seenAt: new Date('2026-01-31T09:30:00Z'),
  chainId: 31337,
  txHash: `0x${'01'.repeat(32)}`,
  logPosition: 0,
  token: '0xcB444e90D8198415266c6a2724b7900fb12FC56E',
  toAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  amount: 1n,
}

/** The contract of the screening port, given a clean and a refused sender. */
export function screeningContract(
  provider: () => ScreeningProvider,
  senders: { clean: string; refused: string },
): void {
  test('a transfer from a clean sender is approved', async () => {
    expect(await provider().screen({ ...screenedTransfer, fromAddress: senders.clean })).toMatchObject({
      result: 'approved',
    })
  })

  test('a transfer from a refused sender is rejected with a higher score', async () => {
    const clean = await provider().screen({ ...screenedTransfer, fromAddress: senders.clean })
    const refused = await provider().screen({ ...screenedTransfer, fromAddress: senders.refused })
    expect(refused.result).toBe('rejected')
    expect(refused.riskScore).toBeGreaterThan(clean.riskScore)
    expect(Number.isInteger(refused.riskScore)).toBe(true)
  })

  test('repeated screening of a transfer returns the same result', async () => {
    const screen = () => provider().screen({ ...screenedTransfer, fromAddress: senders.clean })
    expect(await screen()).toEqual(await screen())
  })
}
