import { rebuildCardItems } from '../../cards/transactions/transactions.ts'
import { type FoldMismatch, findFoldMismatches } from '../../cards/transactions/verify-fold.ts'
import type { Ctx, ReadCtx } from '../../context.ts'
import { readBalances } from '../../ledger/ledger.ts'
import { isConnectionFailure } from '../../platform/db/db.ts'
import { sqlState } from '../../platform/db/sql-state.ts'
import { rebuildDepositItems } from '../deposits/deposits.ts'
import { rebuildWithdrawalItems } from '../withdrawals/withdrawals.ts'
import { checkHashChain, type LoggedHead } from './check-hash-chain.ts'
import { checkLogs, type LoggedEnds } from './check-logs.ts'
import {
  type BadRow,
  checkBalances,
  checkOpenItems,
  checkPostings,
  checkRebuiltItems,
  checkStatement,
  checkStatementItems,
} from './invariants.ts'
import { emptyReport, type Report, type UserCheck, withLogs, withUser } from './report.ts'
import { beforeFirstUserId, sealKeys } from './seals.ts'
import { findItems, findOpenItems, scanDueUserIds } from './sql.ts'

/**
 * Checks the books: the invariants I1 to I8 of each user, which `invariants.ts` lists. Reads each user in one snapshot
 * without locks, so it can run beside a service that moves money. Problems are returned as bad rows, the most precise
 * ones first.
 */
type BooksCtx = Pick<Ctx, 'config' | 'db'>

/** Checks I1 to I8 for one user and returns the bad rows. */
export async function checkUser(ctx: BooksCtx, userId: string): Promise<readonly BadRow[]> {
  return (await examineUser(ctx, userId, [])).badRows
}

/**
 * Checks the sealed logs, and all users page by page, each in its own snapshot. The totals are therefore not one
 * consistent state.
 */
export async function checkAll(
  ctx: BooksCtx,
  options: {
    concurrency?: number
    /** The logged seals of movements, by user. */
    logged?: ReadonlyMap<string, readonly LoggedHead[]>
    loggedEnds?: LoggedEnds
    /** Waits after checking a group of users, so that payments find a free CPU. Receives the duration of the check. */
    rest?: (workedMilliseconds: number) => Promise<void>
    signal?: AbortSignal
  } = {},
): Promise<Report> {
  const { concurrency = 1, logged = new Map<string, readonly LoggedHead[]>(), loggedEnds = new Map() } = options
  const { rest, signal } = options
  let report = emptyReport
  const check = async (userIds: readonly string[]) => {
    const checks = await Promise.all(userIds.map((userId) => examineUser(ctx, userId, logged.get(userId) ?? [])))
    report = checks.reduce(withUser, report)
  }

  const missingUsers = new Set(logged.keys())
  for (let after: string | undefined = beforeFirstUserId; after !== undefined; ) {
    const userIds: string[] = await scanDueUserIds(ctx.db, after, maxUsersPerPage)
    for (let i = 0; i < userIds.length; i += concurrency) {
      signal?.throwIfAborted()
      const startedAt = performance.now()
      await check(userIds.slice(i, i + concurrency))
      await rest?.(performance.now() - startedAt)
    }
    for (const userId of userIds) missingUsers.delete(userId)
    after = userIds.at(-1)
  }
  // An insider may have deleted all rows of a user. Only the log still names that user.
  await check([...missingUsers])
  return withLogs(report, await checkLogs(ctx, { logged: loggedEnds, signal }))
}

const maxUsersPerPage = 500
/** SQLSTATE classes. 22: a value cannot be converted; XX: corrupted data. Other classes say nothing about the rows. */
const unreadableStates = /^(22|XX)/

async function examineUser(ctx: BooksCtx, userId: string, logged: readonly LoggedHead[]): Promise<UserCheck> {
  try {
    return await ctx.db.snapshot((db) => examine({ config: ctx.config, db }, userId, logged))
  } catch (error) {
    const state = sqlState(error)
    if (isConnectionFailure(error) || (state !== null && !unreadableStates.test(state))) throw error
    // The rows contain a value that Purser never writes, such as an amount that is not a number.
    const badRow = { table: 'any', key: 'any', wrong: `the user's rows cannot be parsed: ${error}` }
    const unsealed = { movements: 0, since: null }
    return { userId, badRows: [badRow], movements: 0, postings: 0, items: 0, unsealed, balances: new Map() }
  }
}

async function examine(ctx: ReadCtx, userId: string, logged: readonly LoggedHead[]): Promise<UserCheck> {
  const { config, db } = ctx
  const { moved, ...hashChain } = await checkHashChain(db, sealKeys(config), userId, logged)
  const balances = await readBalances(db, userId)
  const items = await findItems(db, userId)
  const rebuilt = [
    await rebuildCardItems(ctx, userId),
    await rebuildDepositItems(ctx, userId),
    await rebuildWithdrawalItems(ctx, userId),
  ]
  const badRows = [
    ...hashChain.badRows,
    ...checkBalances(balances),
    ...checkPostings(balances, moved),
    ...checkOpenItems(await findOpenItems(db, userId), moved),
    ...(await findFoldMismatches(ctx, userId)).map(badTransaction),
    ...checkRebuiltItems(items, rebuilt.flat()),
    ...checkStatement(config.tokens, balances, items),
    ...checkStatementItems(config.tokens, items, moved),
  ]
  return { ...hashChain, userId, badRows, items: items.length, balances }
}

function badTransaction({ cardTransactionId, stored, folded }: FoldMismatch): BadRow {
  return {
    table: 'card_transaction',
    key: cardTransactionId,
    wrong: `I8: its messages give ${folded}, but it is ${stored}`,
  }
}
