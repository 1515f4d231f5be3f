import { isNativeCoin } from '../../config/chains.ts'
import type { Config } from '../../config/config.ts'
import { findToken } from '../../config/stablecoins.ts'
import { type Balances, balanceOf, ledgerAccounts, type TokenBalance } from '../../ledger/rules.ts'
import type { HashChainCheck } from './check-hash-chain.ts'
import type { LogCheck } from './check-logs.ts'
import type { Custody } from './custody.ts'
import type { BadRow } from './invariants.ts'

export type UserCheck = Omit<HashChainCheck, 'badRows' | 'moved'> & {
  readonly userId: string
  readonly badRows: readonly BadRow[]
  readonly items: number
  readonly balances: Balances
}

/** The result of a run over all users. */
export type Report = {
  readonly users: number
  readonly movements: number
  readonly postings: number
  readonly items: number
  /** operator decisions, and entries of the partners' audit logs */
  readonly records: number
  readonly badUsers: number
  readonly badRows: number
  /** the bad rows of the first users that have any; `badRows` counts all of them */
  readonly firstBadRows: readonly (BadRow & { readonly userId: string })[]
  readonly unsealed: { readonly users: number; readonly movements: number; readonly since: Date | null }
  /** the programme's totals by token, summed over one snapshot per user */
  readonly totals: Balances
}

const maxReportedBadRows = 20

export const emptyReport: Report = {
  users: 0,
  movements: 0,
  postings: 0,
  items: 0,
  records: 0,
  badUsers: 0,
  badRows: 0,
  firstBadRows: [],
  unsealed: { users: 0, movements: 0, since: null },
  totals: new Map(),
}

export function withUser(report: Report, check: UserCheck): Report {
  const { userId, badRows, unsealed } = check
  const space = maxReportedBadRows - report.firstBadRows.length
  return {
    ...report,
    users: report.users + 1,
    movements: report.movements + check.movements,
    postings: report.postings + check.postings,
    items: report.items + check.items,
    badUsers: report.badUsers + (badRows.length > 0 ? 1 : 0),
    badRows: report.badRows + badRows.length,
    firstBadRows: [...report.firstBadRows, ...badRows.slice(0, space).map((row) => ({ userId, ...row }))],
    unsealed: {
      users: report.unsealed.users + (unsealed.movements > 0 ? 1 : 0),
      movements: report.unsealed.movements + unsealed.movements,
      since: earliest(report.unsealed.since, unsealed.since),
    },
    totals: addTotals(report.totals, check.balances),
  }
}

/** Adds the check of the sealed logs, whose rows belong to no user. */
export function withLogs(report: Report, { records, badRows }: LogCheck): Report {
  const space = maxReportedBadRows - report.firstBadRows.length
  return {
    ...report,
    records,
    badRows: report.badRows + badRows.length,
    firstBadRows: [...report.firstBadRows, ...badRows.slice(0, space).map((row) => ({ userId: 'none', ...row }))],
  }
}

function earliest(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}

function addTotals(totals: Balances, balances: Balances): Balances {
  const added = new Map(totals)
  for (const [token, balance] of balances) {
    const total = balanceOf(totals, token)
    const sums = ledgerAccounts.map((account) => [account, total[account] + balance[account]])
    // Built from the list of all ledger accounts, so none is missing.
    added.set(token, Object.fromEntries(sums) as TokenBalance)
  }
  return added
}

/** Renders the report for the terminal. */
export function renderReport(report: Report, tokens: Config['tokens']): string {
  const { users, movements, postings, items, records, unsealed, totals, badRows, badUsers, firstBadRows } = report
  const [first, ...others] = firstBadRows
  const lines = [
    `Checked ${users} users: ${movements} movements with ${postings} postings, ${items} statement items.`,
    `Checked ${records} operator decisions and audit log entries.`,
    unsealed.since === null
      ? 'Every movement is sealed.'
      : `Unsealed movements: ${unsealed.movements}, the oldest from ${unsealed.since.toISOString()}. Users with unsealed movements: ${unsealed.users}.`,
    '',
    'Totals, in the smallest unit of each token:',
    ...[...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([token, total]) => renderTotal(token, total, tokens)),
    '',
  ]
  if (first === undefined) return [...lines, 'The books are correct: I1 to I9 hold.', ''].join('\n')
  lines.push(
    `The books are NOT correct. Bad rows: ${badRows}. Users with bad rows: ${badUsers}. The first:`,
    `  user   ${first.userId}`,
    `  table  ${first.table}`,
    `  key    ${first.key}`,
    `  wrong  ${first.wrong}`,
  )
  if (others.length > 0) lines.push('Then:', ...others.map(renderBadRow))
  if (badRows > firstBadRows.length) lines.push(`  and ${badRows - firstBadRows.length} more`)
  return [...lines, ''].join('\n')
}

function renderTotal(token: string, total: TokenBalance, tokens: Config['tokens']): string {
  const isCoin = isNativeCoin(token)
  const symbol = isCoin ? 'fees in' : (findToken(tokens, token)?.symbol ?? 'unknown token')
  const parts = ledgerAccounts
    .filter((account) => total[account] !== 0n)
    .map((account) => `${account} ${total[account]}`)
  return `  ${symbol} ${token}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`
}

/** Renders the custody part of the report. */
export function renderCustody(custody: readonly Custody[], tokens: Config['tokens'], isComplete: boolean): string {
  if (custody.length === 0) return ''
  const lines = custody.map(({ chainId, token, block, books, wallets, depositAddresses, surplus, ...more }) => {
    const symbol = findToken(tokens, token)?.symbol ?? token
    const where = `${wallets} in wallets, ${depositAddresses} at deposit addresses`
    const verdict = more.isShort
      ? `  MISSING ${-surplus}, of which outgoing payments explain at most ${more.maxOutgoing}`
      : `  ${surplus < 0n ? `${-surplus} less, which outgoing payments can explain` : `${surplus} more, the programme's own`}`
    return `  ${symbol} on chain ${chainId}, block ${block}: ${where}; the books: ${books}\n  ${verdict}`
  })
  const isShort = custody.some((each) => each.isShort)
  const others = isComplete
    ? 'The chain holds at least the amounts in the books minus the outgoing payments.'
    : 'Not every chain could be read.'
  const end = isShort ? 'The chain holds LESS than the books.' : others
  return ['', 'Custody, in the smallest unit of each token:', ...lines, '', end, ''].join('\n')
}

/** Returns the report as JSON. Amounts are texts, in the smallest unit of each token. */
export function reportRecord(report: Report, custody: readonly Custody[], isComplete: boolean) {
  const { totals, ...counts } = report
  const amountsOf = (balance: TokenBalance) => ledgerAccounts.map((account) => [account, String(balance[account])])
  return {
    isCorrect: isCorrect(report, custody, isComplete),
    ...counts,
    totals: [...totals].map(([token, balance]) => ({ token, ...Object.fromEntries(amountsOf(balance)) })),
    custody: custody.map(({ books, maxOutgoing, wallets, depositAddresses, surplus, ...rest }) => ({
      ...rest,
      books: String(books),
      maxOutgoing: String(maxOutgoing),
      wallets: String(wallets),
      depositAddresses: String(depositAddresses),
      surplus: String(surplus),
    })),
  }
}

/**
 * Returns whether no row is bad and no chain lacks funds. Null: nothing is wrong, but custody is incomplete, because a
 * chain could not be read.
 */
export function isCorrect({ badRows }: Report, custody: readonly Custody[], isComplete: boolean): boolean | null {
  if (badRows > 0 || custody.some(({ isShort }) => isShort)) return false
  return isComplete ? true : null
}

function renderBadRow({ userId, table, key, wrong }: BadRow & { readonly userId: string }): string {
  return `  user ${userId}, ${table}, ${key}: ${wrong}`
}
