import { formatMajor } from '../../lib/money.ts'
import type { StatementItem } from '../../statement-items/schemas.ts'

/** The columns of the statement as CSV (RFC 4180). A column that an item does not have is empty. */
const columns = [
  'type',
  'id',
  'status',
  'createdAt',
  'description',
  'isCredit',
  'quantity',
  'amount',
  'currency',
  'decimals',
  'originalAmount',
  'originalCurrency',
  'originalDecimals',
  'updatedAt',
  'clearedAt',
  'kind',
  'cardId',
  'authorizationId',
  'authorizationCode',
  'mcc',
  'merchantName',
  'merchantCity',
  'merchantCountry',
  'entryMode',
  'declineCode',
  'declineMessage',
  'fiatCurrency',
  'txHash',
  'fromAddress',
  'toAddress',
  'chainId',
] as const

type Cells = Partial<Record<(typeof columns)[number], string | number | boolean | null>>

const lineEnd = '\r\n'

export const csvHead = columns.join(',') + lineEnd

/** Returns one line for an item. `quantity` is the amount as a decimal number. */
export function csvLine(item: StatementItem): string {
  const cells = cellsOf(item)
  return columns.map((column) => cell(cells[column] ?? '')).join(',') + lineEnd
}

function cellsOf(item: StatementItem): Cells {
  const quantity = formatMajor(BigInt(item.amount), item.decimals)
  switch (item.type) {
    case 'card_transaction': {
      const { merchant, declineReason, ...own } = item
      return {
        ...own,
        quantity,
        merchantName: merchant.name,
        merchantCity: merchant.city,
        merchantCountry: merchant.country,
        declineCode: declineReason?.code ?? null,
        declineMessage: declineReason?.message ?? null,
      }
    }
    case 'deposit':
    case 'withdrawal':
      return { ...item, quantity }
  }
}

/**
 * A spreadsheet runs a cell that begins with one of these as a formula. Merchants choose their names, so such a text gets
 * an apostrophe, which spreadsheets do not show.
 */
const beginsFormula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Quotes a cell that contains a separator of any common spreadsheet, so that no part of it becomes a cell of its own. */
const needsQuotes = /[",;\t\r\n']/

function cell(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value)
  const text = beginsFormula.test(value) ? `'${value}` : value
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
