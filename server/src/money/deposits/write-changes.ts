import { tokenOf } from '../../config/stablecoins.ts'
import type { Ctx, ReadCtx } from '../../context.ts'
import { type LockedAccount, type Movement, postMovements, readBalances } from '../../ledger/ledger.ts'
import { applyPostings } from '../../ledger/rules.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { DepositItem } from '../../statement-items/schemas.ts'
import { putItems } from '../../statement-items/statement-items.ts'
import { movementBetween } from './postings.ts'
import { type DepositChange, depositItem, depositStatus, isStanding, nextCheck, type Place, placeOf } from './rules.ts'
import { type Deposit, insertDeposits, updateDeposits } from './sql.ts'

/** The context of changes to deposits. Operator commands have no connection to a chain. */
export type BooksCtx = Pick<Ctx, 'config' | 'clock' | 'log' | 'metrics'> & {
  readonly chain: Pick<Ctx['chain'], 'transferState'>
}

/**
 * Applies changes in the given order. Writes their rows, their statement items, and the movements of funds to each new
 * place. The number of round trips does not grow with the number of deposits.
 */
export async function writeChanges(
  ctx: BooksCtx,
  tx: Tx,
  account: LockedAccount,
  changes: readonly DepositChange<Deposit>[],
): Promise<Deposit[]> {
  if (changes.length === 0) return []
  const now = ctx.clock.now()
  // One deposit may change twice: its first `before` and its last `after` are written.
  const results = new Map<string, DepositChange<Deposit>>()
  const movements: Movement[] = []
  let balances = await readBalances(tx, account.userId)
  for (const { before, after: changed } of changes) {
    const after = { ...changed, status: depositStatus(changed) }
    const first = results.get(after.depositId)
    results.set(after.depositId, { before: first ? first.before : before, after })
    const [from, to] = [before === null ? 'outside' : placeOf(before), placeOf(after)]
    if (from === to) continue
    const movement = movementBetween(from, to, after, balances)
    movements.push({ ...movement, refId: after.depositId, at: now })
    balances = applyPostings(balances, movement.postings)
    if (movement.kind === 'deposit_lost') tx.afterCommit(() => reportLost(ctx, after, from))
  }
  await writeRows(ctx, tx, account.userId, [...results.values()], now)
  await postMovements(tx, account, movements)
  const written = [...results.values()].map(({ after }) => after)
  const noticed = new Set(written.filter((one) => isNoticed(ctx, one)).map(({ depositId }) => depositId))
  const items = written.map((deposit) => itemOf(ctx, deposit))
  await putItems(tx, account.userId, items, now, ({ id }) => noticed.has(id))
  return written
}

async function writeRows(
  ctx: BooksCtx,
  tx: Tx,
  userId: string,
  changes: readonly DepositChange<Deposit>[],
  now: Date,
): Promise<void> {
  const isWatched = ctx.chain.transferState === null
  const added = changes.flatMap(({ before, after }) => (before === null ? [after] : []))
  const changed = changes.flatMap(({ before, after }) =>
    before === null ? [] : [{ ...after, check: nextCheck(before, after, isWatched) }],
  )
  // Deposits that leave the chain go first: the unique index allows one standing deposit per transfer.
  const { gone = [], standing = [] } = Object.groupBy(changed, (one) => (isStanding(one) ? 'standing' : 'gone'))
  for (const part of [gone, standing]) if (part.length > 0) await updateDeposits(tx, userId, part, now)
  if (added.length > 0) await insertDeposits(tx, userId, added)
}

/** Reports that a reorganization removed a final deposit. An operator must investigate. */
function reportLost({ log, metrics }: BooksCtx, { depositId, chainId, txHash, token, amount }: Deposit, was: Place) {
  log.error({ depositId, chainId, txHash, token, amount: String(amount), was }, 'final deposit reorganized away')
  metrics.lostDeposits.inc({ was })
}

/** Returns whether the deposit is large enough for an event. Small transfers must not flood a partner. */
function isNoticed({ config }: Pick<ReadCtx, 'config'>, { token, amount }: Deposit): boolean {
  return amount >= (config.depositNoticeMinimums[token] ?? 0n)
}

/** Returns the item of the statement. */
export function itemOf(ctx: Pick<ReadCtx, 'config'>, deposit: Deposit): DepositItem {
  return depositItem(deposit, tokenOf(ctx.config.tokens, deposit.token))
}
