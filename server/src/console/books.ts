import type { Ctx } from '../context.ts'
import { readBalances } from '../ledger/ledger.ts'
import type { Balances } from '../ledger/rules.ts'
import { Refusal } from '../lib/errors.ts'
import type { BadRow } from '../money/reconcile/invariants.ts'
import { checkUser } from '../money/reconcile/reconcile.ts'
import { listRuns, type StoredRun } from '../money/reconcile/runs.ts'
import { readSealedMovement, type SealedMovement } from '../money/reconcile/sealed-movement.ts'
import { type ListedRows, type ListRequest, readList } from '../operators/pages.ts'
import { findMovementsBefore, type MovementRow } from './books-sql.ts'
import { requireUserExists } from './users.ts'

/** The ledger of one user, and the checks of the books, as operators see them. Owns no table. */
type BooksReadingCtx = Pick<Ctx, 'config' | 'db'>

export type { MovementRow }

export async function listMovements(
  { db }: BooksReadingCtx,
  userId: string,
  request: ListRequest,
): Promise<ListedRows<MovementRow>> {
  await requireUserExists(db, userId)
  return readList(
    { parts: ['number'], from: 'newest' },
    request,
    ([below], limit) => findMovementsBefore(db, userId, below, limit),
    ({ seq }) => [seq],
  )
}

/** Returns a movement with its postings, and compares both with the seal. */
export async function readMovement(ctx: BooksReadingCtx, userId: string, seq: bigint): Promise<SealedMovement> {
  const movement = await ctx.db.snapshot((db) => readSealedMovement({ config: ctx.config, db }, userId, seq))
  if (movement === null) throw new Refusal('MOVEMENT_NOT_FOUND')
  return movement
}

export async function readLedgerAccounts({ db }: BooksReadingCtx, userId: string): Promise<Balances> {
  await requireUserExists(db, userId)
  return readBalances(db, userId)
}

/** Returns the stored checks of all users, newest first. */
export function listReconcileRuns({ db }: BooksReadingCtx, request: ListRequest): Promise<ListedRows<StoredRun>> {
  return readList(
    { parts: ['id'], from: 'newest' },
    request,
    ([below = ''], limit) => listRuns(db, below, limit),
    ({ runId }) => [runId],
  )
}

/** Checks the books of one user now. Reads one snapshot without locks, and stores nothing. */
export async function checkBooksOfUser(ctx: BooksReadingCtx, userId: string): Promise<readonly BadRow[]> {
  await requireUserExists(ctx.db, userId)
  return checkUser(ctx, userId)
}
