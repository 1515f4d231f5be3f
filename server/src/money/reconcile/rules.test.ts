import { expect, test } from 'vitest'
import { type Balances, noBalance } from '../../ledger/rules.ts'
import {
  type BadRow,
  checkBalances,
  checkItems,
  checkPostings,
  checkRebuilt,
  checkRows,
  checkStatement,
  type ItemSum,
} from './rules.ts'

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

const moved: readonly ItemSum[] = [
  { refId: 'a', token: 'A', account: 'chain', amount: -10_000n },
  { refId: 'a', token: 'A', account: 'available', amount: 10_000n },
  { refId: 'b', token: 'A', account: 'available', amount: -100n },
  { refId: 'b', token: 'A', account: 'held', amount: 100n },
  { refId: 'c', token: 'B', account: 'debt', amount: -5n },
  { refId: 'c', token: 'B', account: 'network', amount: 5n },
]

test('I3: a posting too many, too few or changed is named with its ledger account', () => {
  expect(checkPostings(balances, moved)).toEqual([])
  expect(saying(checkPostings(balances, moved.slice(0, -1)))).toEqual([
    'ledger_balance, token B: I3: network is 5, but its postings add up to 0',
  ])
  expect(saying(checkPostings(balances, [...moved, { refId: 'd', token: 'C', account: 'gas', amount: 1n }]))).toEqual([
    'ledger_balance, token C: I3: gas is 0, but its postings add up to 1',
  ])
})

test('I2: what each item holds or has paid is what was moved for it, also where another one has the difference', () => {
  const held: readonly ItemSum[] = [
    { refId: 'b', token: 'A', account: 'held', amount: 100n },
    { refId: 'b', token: 'A', account: 'network', amount: 0n },
    { refId: 'c', token: 'B', account: 'network', amount: 5n },
  ]
  const table = 'card_transaction_part, deposit, withdrawal'
  expect(checkItems(held, moved)).toEqual([])
  expect(saying(checkItems(held.slice(1), moved))).toEqual([
    `${table}, b, held of token A: I2: it says 0, but its postings add up to 100`,
  ])
  const swapped = held.map((one) => ({ ...one, refId: one.account === 'held' ? 'c' : one.refId }))
  expect(saying(checkItems(swapped, moved))).toEqual([
    `${table}, c, held of token A: I2: it says 100, but its postings add up to 0`,
    `${table}, b, held of token A: I2: it says 0, but its postings add up to 100`,
  ])
})

test('I7: each row shows what was moved for it, and what moved is shown', () => {
  const card = { type: 'card_transaction', status: 'pending', currency: 'EUR', decimals: 2, isCredit: false }
  const deposit = { type: 'deposit', status: 'approved', amount: '10000', decimals: 4, isCredit: true }
  const row = (itemId: string, item: object) => ({ createdAt: new Date(0), itemId, item: JSON.stringify(item) })
  const items = [
    row('a', { ...deposit, currency: 'Ae', fiatCurrency: 'EUR' }),
    row('b', { ...card, amount: '1' }),
    row('c', { ...card, amount: '5' }),
  ]
  expect(checkRows(tokens, items, moved)).toEqual([])
  const [first, , last] = items
  if (!first || !last) throw new Error('there are three')
  const place = 'statement_item, 1970-01-01T00:00:00.000Z'
  expect(saying(checkRows(tokens, [first, row('b', { ...card, amount: '2' }), last], moved))).toEqual([
    `${place} b: I7: it shows -0.02, but its movements come to -0.01`,
  ])
  expect(saying(checkRows(tokens, [first, last], moved))).toEqual([
    'movement, b in EUR: I7: -0.01 moved, and no row shows it',
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
