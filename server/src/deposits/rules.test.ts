import { describe, expect, test } from 'vitest'
import {
  type ChainState,
  depositStatus,
  mayBeScreened,
  mayMoveOnChain,
  placeOf,
  type Screening,
  statementItem,
} from './rules.ts'

const chainStates: ChainState[] = ['unfinal', 'final', 'reorganised']
const screenings: Screening[] = ['pending', 'approved', 'rejected']

describe('status and place of the money', () => {
  test.each([
    ['unfinal', 'pending', 'pending', 'processing'],
    ['unfinal', 'approved', 'pending', 'processing'],
    ['unfinal', 'rejected', 'pending', 'processing'],
    ['final', 'pending', 'pending', 'processing'],
    ['final', 'approved', 'approved', 'credited'],
    ['final', 'rejected', 'rejected', 'frozen'],
    ['reorganised', 'pending', 'rejected', 'outside'],
    ['reorganised', 'approved', 'rejected', 'outside'],
    ['reorganised', 'rejected', 'rejected', 'outside'],
  ] as const)('%s and %s: %s, %s', (chainState, screening, status, place) => {
    expect(depositStatus({ chainState, screening })).toBe(status)
    expect(placeOf({ chainState, screening, returnState: null })).toBe(place)
  })
})

test('money is never undone on the chain but by a reorganisation, which only mining it again undoes', () => {
  const moves = chainStates.flatMap((from) =>
    chainStates.filter((to) => mayMoveOnChain(from, to)).map((to) => [from, to]),
  )
  expect(moves).toEqual([
    ['unfinal', 'final'],
    ['unfinal', 'reorganised'],
    ['final', 'reorganised'],
    ['reorganised', 'unfinal'],
  ])
})

test('screening may repeat itself or overturn a refusal, never take an approval back', () => {
  const refused = screenings.flatMap((from) =>
    screenings
      .filter((to) => !mayBeScreened({ chainState: 'final', screening: from, returnState: null }, to))
      .map((to) => [from, to]),
  )
  expect(refused).toEqual([
    ['approved', 'pending'],
    ['approved', 'rejected'],
    ['rejected', 'pending'],
  ])
  expect(
    screenings.some((to) => mayBeScreened({ chainState: 'reorganised', screening: to, returnState: null }, to)),
  ).toBe(false)
})

test('the statement shows every field of a deposit, in token units', () => {
  const deposit = {
    depositId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
    chainId: 31337,
    txHash: '0xab',
    amount: 10n ** 20n,
    fromAddress: '0x1000000000000000000000000000000000000001',
    status: 'pending',
    chainState: 'unfinal',
    returnState: null,
    createdAt: new Date('2026-01-31T12:00:00.120Z'),
  } as const
  const token = { symbol: 'EURe', currency: 'EUR', decimals: 18 }
  expect(statementItem(deposit, token)).toEqual({
    type: 'deposit',
    id: deposit.depositId,
    status: 'pending',
    amount: '100000000000000000000',
    currency: 'EURe',
    decimals: 18,
    fiatCurrency: 'EUR',
    isCredit: true,
    createdAt: '2026-01-31T12:00:00.120Z',
    description: 'Deposit of EURe',
    txHash: '0xab',
    fromAddress: deposit.fromAddress,
    chainId: 31337,
  })
  expect(statementItem({ ...deposit, status: 'rejected', chainState: 'reorganised' }, token)).toMatchObject({
    status: 'rejected',
    description: 'Deposit of EURe (REORGED)',
  })
})
