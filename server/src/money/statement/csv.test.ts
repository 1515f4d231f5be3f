import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exampleDeposit, examplePayment } from '../../statement-items/examples.ts'
import type { StatementItem } from '../../statement-items/schemas.ts'
import { csvHead, csvLine } from './csv.ts'

const payment = (name: string, city: string | null = null): StatementItem => ({
  ...examplePayment,
  ...{ type: 'card_transaction', status: 'settled', kind: 'Payment', description: name },
  merchant: { name, city, country: 'DE', categoryCode: '5411' },
  transactions: [],
})

/** Parses CSV as RFC 4180 defines it. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end !== ',') rows.push([])
  }
  return rows.slice(0, -1)
}

function cellsOf(line: string): Record<string, string> {
  const [names = [], cells = []] = parse(csvHead + line)
  expect(cells).toHaveLength(names.length)
  return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']))
}

test('a line of a CSV statement has the fields of its item, and the quantity as a decimal number', () => {
  expect(cellsOf(csvLine(payment('Corner Shop')))).toMatchObject({
    ...{ type: 'card_transaction', quantity: '9.99', amount: '999', isCredit: 'false' },
    ...{ merchantName: 'Corner Shop', merchantCity: '', declineCode: '', txHash: '' },
  })
  const deposit: StatementItem = { ...exampleDeposit, type: 'deposit', status: 'approved' }
  expect(cellsOf(csvLine(deposit))).toMatchObject({ quantity: '25.000000000000000000', merchantName: '' })
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\n=1', '=HYPERLINK("http://x";"y")', '＝1'])(
  'a merchant name that begins like the formula %j gets an apostrophe',
  (name) => {
    const line = csvLine(payment(name, name))
    const { merchantName, merchantCity, description } = cellsOf(line)
    expect([merchantName, merchantCity, description]).toEqual([`'${name}`, `'${name}`, `'${name}`])
  },
)

test('a merchant name with separators, quotes and line ends stays one cell', () => {
  for (const name of ['a,b', 'a;=1+1', 'a"b', '"', 'a\r\nb', 'a\tb', "O'Neill"]) {
    expect(cellsOf(csvLine(payment(name)))['merchantName']).toBe(name)
  }
})

test('any merchant name is the same after a CSV statement is parsed, apart from an apostrophe before a formula', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (name) => {
      const { merchantName = '' } = cellsOf(csvLine(payment(name)))
      expect([name, `'${name}`]).toContain(merchantName)
      expect(merchantName).not.toMatch(/^[=+\-@\t\r]/)
    }),
  )
})
