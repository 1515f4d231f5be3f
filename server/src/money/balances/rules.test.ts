import { expect, test } from 'vitest'
import { noBalance } from '../../ledger/rules.ts'
import { areSameLimits, balanceRows, parseFigures } from './rules.ts'

const eur = 10n ** 18n
const eure = { address: '0x0A', currency: 'EUR', decimals: 18 }
const eurc = { address: '0x0B', currency: 'EUR', decimals: 6 }
const currencies = [
  { currency: 'EUR', decimals: 18 },
  { currency: 'USD', decimals: 6 },
]

function eurRow(balances: Parameters<typeof balanceRows>[2], limits: ReadonlyMap<string, bigint> = new Map()) {
  const [row] = balanceRows(currencies, [eure, eurc], balances, limits)
  return row
}

test('every configured currency has a row of balances, even without a token, and every zero is "0"', () => {
  const zero = { spendable: '0', nonSpendable: '0', processingDeposits: '0', maxInstantWithdraw: '0' }
  const sums = { spendable: '0', nonSpendable: '0', processingDeposits: '0', processingWithdrawals: '0' }
  expect(balanceRows(currencies, [eure], new Map(), new Map())).toEqual([
    { currency: 'EUR', decimals: 18, ...sums, tokens: [{ token: '0x0A', decimals: 18, ...zero }] },
    { currency: 'USD', decimals: 6, ...sums, tokens: [] },
  ])
})

test('the row of a currency omits the dust of each token, and the token shows it', () => {
  const balances = new Map([
    ['0x0A', { ...noBalance, available: eur + 9n * 10n ** 15n }],
    ['0x0B', { ...noBalance, available: 2_009_999n }],
  ])
  expect(eurRow(balances)).toMatchObject({
    spendable: String(3n * eur),
    tokens: [{ spendable: String(eur + 9n * 10n ** 15n) }, { spendable: '2009999' }],
  })
})

test("debt in one token lowers the currency's spendable amount by whole cents and the other token's by whole token units", () => {
  const balances = new Map([
    ['0x0A', { ...noBalance, debt: -1n }],
    ['0x0B', { ...noBalance, available: 5_000_000n }],
  ])
  expect(eurRow(balances)).toMatchObject({
    spendable: String(4_99n * 10n ** 16n),
    tokens: [{ spendable: '0' }, { spendable: '4999999' }],
  })
})

test('the spendable balance is zero when the debt exceeds the available funds', () => {
  const balances = new Map([
    ['0x0A', { ...noBalance, debt: -6n * eur }],
    ['0x0B', { ...noBalance, available: 5_000_000n }],
  ])
  expect(eurRow(balances)).toMatchObject({ spendable: '0', tokens: [{ spendable: '0' }, { spendable: '0' }] })
})

test('frozen and processing amounts add up exactly over tokens of different scales', () => {
  const balances = new Map([
    ['0x0A', { ...noBalance, frozen: 1n, deposit_processing: 2n, withdrawal_processing: 3n, held: 7n }],
    ['0x0B', { ...noBalance, frozen: 1n, deposit_processing: 2n, withdrawal_processing: 3n }],
  ])
  expect(eurRow(balances)).toMatchObject({
    spendable: '0',
    nonSpendable: '1000000000001',
    processingDeposits: '2000000000002',
    processingWithdrawals: '3000000000003',
    tokens: [
      { nonSpendable: '1', processingDeposits: '2' },
      { nonSpendable: '1', processingDeposits: '2' },
    ],
  })
})

test('an instant withdrawal is limited by the payout wallet and by the balance of the user', () => {
  const balances = new Map([['0x0B', { ...noBalance, available: 5_000_000n }]])
  const shown = (limit: bigint) => eurRow(balances, new Map([['0x0B', limit]]))?.tokens[1]?.maxInstantWithdraw
  expect(shown(4_000_000n)).toBe('4000000')
  expect(shown(6_000_000n)).toBe('5000000')
  expect(shown(0n)).toBe('0')
})

test('balance figures are parsed by position, and a missing one is an error', () => {
  const balances = parseFigures('0x0A 5 4 3 2 -1,0x0B 0 0 0 0 0')
  expect(balances.get('0x0A')).toEqual({
    available: 5n,
    frozen: 4n,
    deposit_processing: 3n,
    withdrawal_processing: 2n,
    debt: -1n,
  })
  expect(balances.has('0x0B')).toBe(true)
  expect([...parseFigures(null)]).toEqual([])
  expect(() => parseFigures('0x0A 5 4 3 2')).toThrow('token 0x0A has 4 figures instead of 5')
})

test('withdrawal limits are equal when each token has the same limit', () => {
  const limits = (...entries: [string, bigint][]) => new Map(entries)
  const one = limits(['0x0A', 1n], ['0x0B', 2n])
  expect(areSameLimits(one, limits(['0x0B', 2n], ['0x0A', 1n]))).toBe(true)
  expect(areSameLimits(one, limits(['0x0A', 1n], ['0x0B', 3n]))).toBe(false)
  expect(areSameLimits(one, limits(['0x0A', 1n]))).toBe(false)
  expect(areSameLimits(limits(['0x0A', 1n]), limits(['0x0B', 1n]))).toBe(false)
})
