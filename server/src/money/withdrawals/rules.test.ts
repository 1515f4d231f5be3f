import { describe, expect, test } from 'vitest'
import { canBePaidOn, mayTransition, remainingOfCap, type WithdrawalStatus, withdrawalItem } from './rules.ts'

const eur = { symbol: 'EURe', currency: 'EUR', decimals: 18 }
const yen = { symbol: 'JPYC', currency: 'JPY', decimals: 0 }

test('the transition rules allow no change of a completed or failed withdrawal', () => {
  const all: WithdrawalStatus[] = ['pending', 'processing', 'completed', 'failed']
  const moves = all.flatMap((from) => all.filter((to) => mayTransition(from, to)).map((to) => `${from} → ${to}`))
  expect(moves).toEqual([
    'pending → processing',
    'pending → failed',
    'processing → pending',
    'processing → completed',
    'processing → failed',
  ])
})

describe('the remainder of a daily cap', () => {
  test('the whole daily cap remains when nothing was requested', () => {
    expect(remainingOfCap(100_00n, [], eur)).toBe(100n * 10n ** 18n)
    expect(remainingOfCap(100n, [], yen)).toBe(100n)
  })

  test('tokens of different scales are deducted exactly from a daily cap, and only the remainder is rounded down', () => {
    const requested = [
      { amount: 1n, decimals: 18 },
      { amount: 99_999_999n, decimals: 6 },
    ]
    expect(remainingOfCap(100_00n, requested, eur)).toBe(10n ** 12n - 1n)
    expect(remainingOfCap(100_00n, requested, { ...eur, decimals: 6 })).toBe(0n)
  })

  test('the remainder of a daily cap is never negative', () => {
    expect(remainingOfCap(1n, [{ amount: 10n ** 18n, decimals: 18 }], eur)).toBe(0n)
  })
})

test('a contract wallet is paid only on the chain where it signed in, and other wallets on any chain', () => {
  expect(canBePaidOn(31337, null)).toBe(true)
  expect(canBePaidOn(31337, 31337)).toBe(true)
  expect(canBePaidOn(31337, 1)).toBe(false)
})

test('the statement item of a withdrawal without a payout has every field, with null as the transaction hash', () => {
  const withdrawal = {
    withdrawalId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
    chainId: 31337,
    amount: 5n,
    toAddress: '0x1000000000000000000000000000000000000001',
    status: 'pending',
    txHash: null,
    createdAt: new Date('2026-01-31T12:00:00.000Z'),
  } as const
  expect(withdrawalItem(withdrawal, eur)).toEqual({
    type: 'withdrawal',
    id: withdrawal.withdrawalId,
    status: 'pending',
    amount: '5',
    currency: 'EURe',
    decimals: 18,
    fiatCurrency: 'EUR',
    isCredit: false,
    createdAt: '2026-01-31T12:00:00.000Z',
    description: 'Withdrawal of EURe',
    txHash: null,
    toAddress: withdrawal.toAddress,
    chainId: 31337,
  })
})
