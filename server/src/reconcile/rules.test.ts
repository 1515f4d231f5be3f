import { expect, test } from 'vitest'
import { type Balances, noBalance } from '../ledger/rules.ts'
import { type BadRow, checkBalances, checkRebuilt, checkStatement, checkSums } from './rules.ts'

const tokens = [
  { address: 'A', currency: 'EUR', decimals: 4 },
  { address: 'B', currency: 'EUR', decimals: 2 },
]
const balances: Balances = new Map([
  ['A', { ...noBalance, available: 9_900n, held: 100n, chain: -10_000n }],
  ['B', { ...noBalance, debt: -5n, network: 5n }],
])

const saying = (rows: readonly BadRow[]) => rows.map(({ table, key, wrong }) => `${table}, ${key}: ${wrong}`)

test('I1, I4, I5: an edited balance is named', () => {
  expect(checkBalances(balances)).toEqual([])
  const edited = new Map(balances).set('A', { ...noBalance, available: 9_901n, held: 100n, chain: -10_000n })
  expect(saying(checkBalances(edited))).toEqual([
    'ledger_balance, token A: I1: the ledger accounts add up to 1, not to zero',
  ])
})

test('I3: a posting too many, too few or changed is named with its ledger account', () => {
  const sums = [
    { token: 'A', account: 'available', amount: 9_900n },
    { token: 'A', account: 'held', amount: 100n },
    { token: 'A', account: 'chain', amount: -10_000n },
    { token: 'B', account: 'debt', amount: -5n },
    { token: 'B', account: 'network', amount: 5n },
  ] as const
  expect(checkSums('I3', balances, sums)).toEqual([])
  expect(saying(checkSums('I3', balances, sums.slice(1)))).toEqual([
    'ledger_balance, token A: I3: available is 9900, but its postings add up to 0',
  ])
  expect(saying(checkSums('I3', balances, [...sums, { token: 'C', account: 'gas', amount: 1n }]))).toEqual([
    'ledger_balance, token C: I3: gas is 0, but its postings add up to 1',
  ])
})

test('I2: only the ledger accounts that have open items are compared with them', () => {
  const accounts = ['held', 'deposit_processing', 'withdrawal_processing'] as const
  expect(checkSums('I2', balances, [{ token: 'A', account: 'held', amount: 100n }], accounts)).toEqual([])
  expect(saying(checkSums('I2', balances, [], accounts))).toEqual([
    'ledger_balance, token A: I2: held is 100, but its open items add up to 0',
  ])
})

test('I7: rows of different scales add up to what is free less what is owed', () => {
  const item = (fields: object) => {
    const card = { type: 'card_transaction', status: 'settled', currency: 'EUR', decimals: 2, isCredit: false }
    return { createdAt: new Date(0), itemId: 'a', item: JSON.stringify({ ...card, ...fields }) }
  }
  const deposit = { type: 'deposit', currency: 'Ae', fiatCurrency: 'EUR', decimals: 4, isCredit: true }
  const items = [
    item({ ...deposit, status: 'approved', amount: '10000' }),
    item({ ...deposit, status: 'rejected', amount: '777' }),
    item({ status: 'pending', amount: '1' }),
    item({ status: 'settled', amount: '8' }),
    item({ status: 'settled', amount: '3', isCredit: true }),
    item({ status: 'cancelled', amount: '50' }),
    item({ status: 'declined', amount: '50' }),
  ]
  const withdrawal = { type: 'withdrawal', currency: 'Ae', fiatCurrency: 'EUR', decimals: 4 }
  // 1.00 − 0.01 − 0.08 + 0.03 = 0.94, and 0.99 free less 0.05 owed
  expect(checkStatement(tokens, balances, items)).toEqual([])
  expect(checkStatement(tokens, balances, [...items, item({ ...withdrawal, status: 'failed', amount: '5' })])).toEqual(
    [],
  )
  expect(saying(checkStatement(tokens, balances, items.slice(1)))).toEqual([
    'statement_item, all rows in EUR: I7: its rows add up to -0.06, but the balances say 0.94',
  ])
  const pending = item({ ...withdrawal, status: 'pending', amount: '5' })
  expect(saying(checkStatement(tokens, balances, [...items, pending]))).toEqual([
    'statement_item, all rows in EUR: I7: its rows add up to 0.9395, but the balances say 0.94',
  ])
})

test.each(['', 'null', '{}', '{"type":"gift"}', '{"type":"deposit","status":"approved","amount":"much","decimals":2}'])(
  'I7: %s is no statement item, and does not end the check',
  (item) => {
    const rows = [{ createdAt: new Date(0), itemId: 'a', item }]
    expect(saying(checkStatement([], new Map(), rows))).toEqual([
      'statement_item, 1970-01-01T00:00:00.000Z a: I7: it is not a statement item',
    ])
  },
)

test('I8: a row missing, changed, moved or invented is named', () => {
  const row = (itemId: string, item = '{}', at = 0) => ({ createdAt: new Date(at), itemId, item })
  const facts = [row('a'), row('b')]
  const place = 'statement_item, 1970-01-01T00:00:00.000Z'
  expect(checkRebuilt(facts, facts)).toEqual([])
  expect(saying(checkRebuilt([row('a')], facts))).toEqual([`${place} b: I8: it is missing, though the facts make it`])
  expect(saying(checkRebuilt([row('a', '{"x":1}'), row('b')], facts))).toEqual([
    `${place} a: I8: the facts make {}, it is {"x":1}`,
  ])
  expect(checkRebuilt([row('a'), row('b', '{}', 5)], facts)).toHaveLength(2)
  expect(saying(checkRebuilt([...facts, row('c')], facts))).toEqual([
    `${place} c: I8: it is there, though no fact makes it`,
  ])
})
