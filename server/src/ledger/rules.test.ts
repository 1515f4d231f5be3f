import { describe, expect, test } from 'vitest'
import {
  applyPostings,
  type Balances,
  brokenRules,
  currencySpendable,
  isEmpty,
  noBalance,
  type TokenScale,
  tokenSpendable,
} from './rules.ts'

const EURe: TokenScale = { address: 'EURe', currency: 'EUR', decimals: 18 }
const EURC: TokenScale = { address: 'EURC', currency: 'EUR', decimals: 6 }
const USDC: TokenScale = { address: 'USDC', currency: 'USD', decimals: 6 }
const tokens = [EURe, EURC, USDC]

/** Builds balances and completes each to a zero sum with the network account. */
function funds(of: Record<string, { available?: bigint; debt?: bigint }>): Balances {
  return new Map(
    Object.entries(of).map(([token, { available = 0n, debt = 0n }]) => [
      token,
      { ...noBalance, available, debt, network: -available - debt },
    ]),
  )
}

describe('applyPostings', () => {
  test('a posting moves an amount between two ledger accounts of one token only', () => {
    const before = funds({ EURe: { available: 10n }, USDC: { available: 7n } })
    const after = applyPostings(before, [{ token: 'EURe', from: 'available', to: 'held', amount: 4n }])
    expect(after.get('EURe')).toEqual({ ...noBalance, available: 6n, held: 4n, network: -10n })
    expect(after.get('USDC')).toEqual(before.get('USDC'))
    expect(before.get('EURe')?.held).toBe(0n)
  })

  test.each([
    ['a debit beyond the funds', { token: 'EURe', from: 'available', to: 'held', amount: 11n }, /I4: available is -1/],
    ['a debt above zero', { token: 'EURe', from: 'available', to: 'debt', amount: 1n }, /I4: debt is 1/],
    ['new funds beside a debt', { token: 'USDC', from: 'network', to: 'available', amount: 1n }, /I5/],
    ['a zero amount', { token: 'EURe', from: 'available', to: 'held', amount: 0n }, /must have a positive amount/],
    ['a negative amount', { token: 'EURe', from: 'held', to: 'available', amount: -1n }, /must have a positive amount/],
  ] as const)('a posting with %s is rejected', (_name, posting, message) => {
    const before = funds({ EURe: { available: 10n }, USDC: { debt: -5n } })
    expect(() => applyPostings(before, [posting])).toThrow(message)
  })

  test('an imbalance is reported with its sum', () => {
    expect(brokenRules({ ...noBalance, available: 1n })).toEqual(['I1: the ledger accounts add up to 1, not to zero'])
  })
})

describe('the spendable amount of a currency', () => {
  const cent = 10n ** 16n

  test('a card can spend the whole cents of each token, but not the dust', () => {
    const balances = funds({ EURe: { available: 100n * cent + cent - 1n }, EURC: { available: 50_009_999n } })
    expect(currencySpendable(tokens, balances, 'EUR')).toBe(100n + 5000n)
  })

  test('a debt in another token, rounded up to a cent, reduces the spendable amount, but never below zero', () => {
    const balances = funds({ EURe: { debt: -cent - 1n }, EURC: { available: 1_000_000n } })
    expect(currencySpendable(tokens, balances, 'EUR')).toBe(98n)
    expect(currencySpendable(tokens, funds({ EURe: { debt: -cent } }), 'EUR')).toBe(0n)
  })

  test('debts of several tokens are added before they are rounded', () => {
    const third: TokenScale = { address: 'third', currency: 'EUR', decimals: 6 }
    const balances = funds({ EURe: { debt: -cent / 2n }, EURC: { debt: -5_000n }, third: { available: 1_000_000n } })
    expect(currencySpendable([...tokens, third], balances, 'EUR')).toBe(99n)
  })

  test('funds in another currency do not count toward the spendable amount', () => {
    expect(currencySpendable(tokens, funds({ USDC: { available: 5_000_000n } }), 'EUR')).toBe(0n)
    expect(currencySpendable(tokens, new Map(), 'EUR')).toBe(0n)
  })
})

describe('the spendable amount of a token', () => {
  const euro = 10n ** 18n

  test('a withdrawal can spend a token balance with its dust', () => {
    expect(tokenSpendable(tokens, funds({ EURe: { available: 123n } }), EURe)).toBe(123n)
  })

  test('the spendable token amount excludes the part of a debt that other tokens cannot cover', () => {
    const balances = funds({ EURe: { debt: -3n * euro }, EURC: { available: 10_000_000n } })
    expect(tokenSpendable(tokens, balances, EURC)).toBe(7_000_000n)
    expect(tokenSpendable(tokens, balances, EURe)).toBe(0n)
  })

  test('a debt smaller than one unit of another token reduces the spendable amount of that token by one unit', () => {
    const balances = funds({ EURe: { debt: -1n }, EURC: { available: 10n } })
    expect(tokenSpendable(tokens, balances, EURC)).toBe(9n)
  })

  test('the spendable token amount is never negative', () => {
    const balances = funds({ EURe: { debt: -100n * euro }, EURC: { available: 10_000_000n } })
    expect(tokenSpendable(tokens, balances, EURC)).toBe(0n)
  })
})

test.each(['available', 'held', 'frozen', 'deposit_processing', 'withdrawal_processing', 'debt'] as const)(
  'a balance with one unit of %s is not empty',
  (account) => {
    const unit = account === 'debt' ? -1n : 1n
    expect(
      isEmpty(
        new Map([
          ['0xa', noBalance],
          ['0xb', { ...noBalance, [account]: unit }],
        ]),
      ),
    ).toBe(false)
  },
)

test('balances of outside accounts do not count as funds of the user', () => {
  expect(isEmpty(new Map())).toBe(true)
  expect(isEmpty(new Map([['0xa', { ...noBalance, network: 5n, chain: -5n }]]))).toBe(true)
})
