import { rebuildCardItems } from '../../cards/transactions/transactions.ts'
import { type FoldMismatch, findFoldMismatches } from '../../cards/transactions/verify-fold.ts'
import type { Ctx, ReadCtx } from '../../context.ts'
import { readBalances } from '../../ledger/ledger.ts'
import { isConnectionFailure } from '../../platform/db/db.ts'
import { rebuildItems as rebuildDepositItems } from '../deposits/deposits.ts'
import { rebuildItems as rebuildWithdrawalItems } from '../withdrawals/withdrawals.ts'
import { checkChain, type LoggedHead } from './check-chain.ts'
import { emptyReport, type Report, type UserCheck, withUser } from './report.ts'
import {
  type BadRow,
  checkBalances,
  checkItems,
  checkPostings,
  checkRebuilt,
  checkRows,
  checkStatement,
} from './rules.ts'
import { beforeAllUsers, sealKey } from './seals.ts'
import { findHeld, findItems, scanDueUserIds } from './sql.ts'

/**
 * Whether the books are true: the invariants I1 to I8 of each user over what is stored. Reads only, each user in one
 * snapshot, without a lock, so it can run beside a service that moves money. What is wrong is a value: a list of bad
 * rows, the ones that are named most precisely first.
 */
type BooksCtx = Pick<Ctx, 'config' | 'db'>

/** What is wrong in one user's books: I1 to I8; nothing wrong is an empty list. */
export async function checkUser(ctx: BooksCtx, userId: string): Promise<readonly BadRow[]> {
  return (await examineUser(ctx, userId, [])).badRows
}

/** All users, in pages and outside of one transaction: the totals are a report, each user's part of them a snapshot. */
export async function checkAll(
  ctx: BooksCtx,
  options: { lanes?: number; logged?: ReadonlyMap<string, readonly LoggedHead[]>; signal?: AbortSignal } = {},
): Promise<Report> {
  const { lanes = 1, logged = new Map<string, readonly LoggedHead[]>(), signal } = options
  let report = emptyReport
  const check = async (userIds: readonly string[]) => {
    const checks = await Promise.all(userIds.map((userId) => examineUser(ctx, userId, logged.get(userId) ?? [])))
    report = checks.reduce(withUser, report)
  }

  const unseen = new Set(logged.keys())
  for (let after: string | undefined = beforeAllUsers; after !== undefined; ) {
    const userIds: string[] = await scanDueUserIds(ctx.db, after, usersAPage)
    for (let i = 0; i < userIds.length; i += lanes) {
      signal?.throwIfAborted()
      await check(userIds.slice(i, i + lanes))
    }
    for (const userId of userIds) unseen.delete(userId)
    after = userIds.at(-1)
  }
  // Users of whom the log knows, and the database does not any more.
  await check([...unseen])
  return report
}

const usersAPage = 500

async function examineUser(ctx: BooksCtx, userId: string, logged: readonly LoggedHead[]): Promise<UserCheck> {
  try {
    return await ctx.db.snapshot((db) => examine({ config: ctx.config, db }, userId, logged))
  } catch (error) {
    if (isConnectionFailure(error)) throw error
    // A value that none of our code writes, such as an amount that is no number, or a token that is not configured.
    const badRow = { table: 'any', key: 'any', wrong: `the user's rows cannot be understood: ${error}` }
    const unsealed = { movements: 0, since: null }
    return { userId, badRows: [badRow], movements: 0, postings: 0, items: 0, unsealed, balances: new Map() }
  }
}

async function examine(ctx: ReadCtx, userId: string, logged: readonly LoggedHead[]): Promise<UserCheck> {
  const { config, db } = ctx
  const { moved, ...chain } = await checkChain(db, sealKey(config), userId, logged)
  const balances = await readBalances(db, userId)
  const items = await findItems(db, userId)
  const rebuilt = [
    await rebuildCardItems(ctx, userId),
    await rebuildDepositItems(ctx, userId),
    await rebuildWithdrawalItems(ctx, userId),
  ]
  const badRows = [
    ...chain.badRows,
    ...checkBalances(balances),
    ...checkPostings(balances, moved),
    ...checkItems(await findHeld(db, userId), moved),
    ...(await findFoldMismatches(ctx, userId)).map(badTransaction),
    ...checkRebuilt(items, rebuilt.flat()),
    ...checkStatement(config.tokens, balances, items),
    ...checkRows(config.tokens, items, moved),
  ]
  return { ...chain, userId, badRows, items: items.length, balances }
}

function badTransaction({ cardTransactionId, is, made }: FoldMismatch): BadRow {
  return { table: 'card_transaction', key: cardTransactionId, wrong: `I8: its messages make ${made}, it is ${is}` }
}
