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

type Column = (typeof columns)[number]
type Value = string | number | boolean | null | undefined
type Cells = Readonly<Partial<Record<Column, Value>>>

const lineEnd = '\r\n'

export const csvHead = columns.join(',') + lineEnd

/** Returns one line for an item. `quantity` is the amount as a decimal number. */
export function csvLine(item: StatementItem): string {
  return columns.map((column) => cell(valueIn(item, column) ?? '')).join(',') + lineEnd
}

/** Reads one column at a time. Building an object of all cells is slow. */
function valueIn(item: StatementItem, column: Column): Value {
  const own: Cells = item
  const { merchant, declineReason } = item.type === 'card_transaction' ? item : noCard
  switch (column) {
    case 'quantity':
      return formatMajor(BigInt(item.amount), item.decimals)
    case 'merchantName':
      return merchant?.name
    case 'merchantCity':
      return merchant?.city
    case 'merchantCountry':
      return merchant?.country
    case 'declineCode':
      return declineReason?.code
    case 'declineMessage':
      return declineReason?.message
    default:
      return own[column]
  }
}

const noCard = { merchant: null, declineReason: null }

/**
 * A spreadsheet runs a cell that begins with one of these as a formula. Merchants choose their names, so such a text
 * gets an apostrophe. Spreadsheets then read it as text.
 */
const beginsFormula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/**
 * Quotes a cell that contains a separator of any common spreadsheet, so that no part of it becomes a cell of its own.
 */
const needsQuotes = /[",;\t\r\n']/

function cell(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value)
  const text = beginsFormula.test(value) ? `'${value}` : value
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
