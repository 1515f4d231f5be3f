import { expect, test } from 'vitest'
import { type Balances, noBalance } from '../../ledger/rules.ts'
import {
  type BadRow,
  checkBalances,
  checkOpenItems,
  checkPostings,
  checkRebuiltItems,
  checkStatement,
  checkStatementItems,
  type ItemSum,
} from './invariants.ts'

const tokens = [
  { address: 'A', currency: 'EUR', decimals: 4 },
  { address: 'B', currency: 'EUR', decimals: 2 },
]
const balances: Balances = new Map([
  ['A', { ...noBalance, available: 9_900n, held: 100n, chain: -10_000n }],
  ['B', { ...noBalance, debt: -5n, network: 5n }],
])

const textsOf = (rows: readonly BadRow[]) => rows.map(({ table, key, wrong }) => `${table}, ${key}: ${wrong}`)

test('I1, I4 and I5 report an edited balance', () => {
  expect(checkBalances(balances)).toEqual([])
  const edited = new Map(balances).set('A', { ...noBalance, available: 9_901n, held: 100n, chain: -10_000n })
  expect(textsOf(checkBalances(edited))).toEqual([
    'ledger_balance, token A: I1: the ledger accounts add up to 1, not to zero',
  ])
  const negative = new Map(balances).set('A', { ...noBalance, available: 10_001n, held: -1n, chain: -10_000n })
  expect(textsOf(checkBalances(negative))).toEqual(['ledger_balance, token A: I4: held is -1, below zero'])
  const owing = new Map(balances).set('B', { ...noBalance, available: 1n, debt: -6n, network: 5n })
  expect(textsOf(checkBalances(owing))).toEqual(['ledger_balance, token B: I5: 1 available beside a debt of 6'])
})

const moved: readonly ItemSum[] = [
  { refId: 'a', token: 'A', account: 'chain', amount: -10_000n },
  { refId: 'a', token: 'A', account: 'available', amount: 10_000n },
  { refId: 'b', token: 'A', account: 'available', amount: -100n },
  { refId: 'b', token: 'A', account: 'held', amount: 100n },
  { refId: 'c', token: 'B', account: 'debt', amount: -5n },
  { refId: 'c', token: 'B', account: 'network', amount: 5n },
]

test('I3 reports an extra, missing or changed posting with its ledger account', () => {
  expect(checkPostings(balances, moved)).toEqual([])
  expect(textsOf(checkPostings(balances, moved.slice(0, -1)))).toEqual([
    'ledger_balance, token B: I3: network is 5, but its postings add up to 0',
  ])
  expect(textsOf(checkPostings(balances, [...moved, { refId: 'd', token: 'C', account: 'gas', amount: 1n }]))).toEqual([
    'ledger_balance, token C: I3: gas is 0, but its postings add up to 1',
  ])
})

test('I2 reports an item whose amounts differ from its postings, even if another item offsets the difference', () => {
  const held: readonly ItemSum[] = [
    { refId: 'b', token: 'A', account: 'held', amount: 100n },
    { refId: 'b', token: 'A', account: 'network', amount: 0n },
    { refId: 'c', token: 'B', account: 'network', amount: 5n },
  ]
  const table = 'card_transaction_part, deposit, withdrawal'
  expect(checkOpenItems(held, moved)).toEqual([])
  expect(textsOf(checkOpenItems(held.slice(1), moved))).toEqual([
    `${table}, b, held of token A: I2: the item has 0, but its postings add up to 100`,
  ])
  const swapped = held.map((one) => ({ ...one, refId: one.account === 'held' ? 'c' : one.refId }))
  expect(textsOf(checkOpenItems(swapped, moved))).toEqual([
    `${table}, c, held of token A: I2: the item has 100, but its postings add up to 0`,
    `${table}, b, held of token A: I2: the item has 0, but its postings add up to 100`,
  ])
})

test('I7 reports an item that differs from its postings, and postings without an item', () => {
  const card = { type: 'card_transaction', status: 'pending', currency: 'EUR', decimals: 2, isCredit: false }
  const deposit = { type: 'deposit', status: 'approved', amount: '10000', decimals: 4, isCredit: true }
  const row = (itemId: string, item: object) => ({ createdAt: new Date(0), itemId, item: JSON.stringify(item) })
  const items = [
    row('a', { ...deposit, currency: 'Ae', fiatCurrency: 'EUR' }),
    row('b', { ...card, amount: '1' }),
    row('c', { ...card, amount: '5' }),
  ]
  expect(checkStatementItems(tokens, items, moved)).toEqual([])
  const [first, , last] = items
  if (!first || !last) throw new Error('there are three')
  const place = 'statement_item, 1970-01-01T00:00:00.000Z'
  expect(textsOf(checkStatementItems(tokens, [first, row('b', { ...card, amount: '2' }), last], moved))).toEqual([
    `${place} b: I7: it shows -0.02, but its postings add up to -0.01`,
  ])
  expect(textsOf(checkStatementItems(tokens, [first, last], moved))).toEqual([
    'movement, b in EUR: I7: its postings add up to -0.01, but no statement item shows them',
  ])
})

test('I7 compares items of different scales with the available funds less the debt', () => {
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
  expect(textsOf(checkStatement(tokens, balances, items.slice(1)))).toEqual([
    'statement_item, all items in EUR: I7: the items add up to -0.06, but the balances to 0.94',
  ])
  const pending = item({ ...withdrawal, status: 'pending', amount: '5' })
  expect(textsOf(checkStatement(tokens, balances, [...items, pending]))).toEqual([
    'statement_item, all items in EUR: I7: the items add up to 0.9395, but the balances to 0.94',
  ])
})

test.each(['', 'null', '{}', '{"type":"gift"}', '{"type":"deposit","status":"approved","amount":"much","decimals":2}'])(
  'I7 reports that the text %j is not a statement item, and continues',
  (item) => {
    const rows = [{ createdAt: new Date(0), itemId: 'a', item }]
    expect(textsOf(checkStatement([], new Map(), rows))).toEqual([
      'statement_item, 1970-01-01T00:00:00.000Z a: I7: its text is not a statement item',
    ])
  },
)

test('I8 reports a missing, changed, moved or invented statement item', () => {
  const row = (itemId: string, item = '{}', at = 0) => ({ createdAt: new Date(at), itemId, item })
  const facts = [row('a'), row('b')]
  const place = 'statement_item, 1970-01-01T00:00:00.000Z'
  expect(checkRebuiltItems(facts, facts)).toEqual([])
  expect(textsOf(checkRebuiltItems([row('a')], facts))).toEqual([
    `${place} b: I8: it is missing, but the facts require it`,
  ])
  expect(textsOf(checkRebuiltItems([row('a', '{"x":1}'), row('b')], facts))).toEqual([
    `${place} a: I8: the facts give {}, but it is {"x":1}`,
  ])
  expect(checkRebuiltItems([row('a'), row('b', '{}', 5)], facts)).toHaveLength(2)
  expect(textsOf(checkRebuiltItems([...facts, row('c')], facts))).toEqual([
    `${place} c: I8: it exists, but no fact explains it`,
  ])
})
