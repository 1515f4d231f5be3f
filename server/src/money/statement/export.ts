import { Readable } from 'node:stream'
import type { Ctx } from '../../context.ts'
import { requireAccount } from '../../identity/users/users.ts'
import { Refusal } from '../../lib/errors.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { StatementItem } from '../../statement-items/schemas.ts'
import { csvHead, csvLine } from './csv.ts'
import { type Filters, isEmptyRange, type Position } from './rules.ts'
import { eachReadableItem } from './sql.ts'

/**
 * The statement as CSV. It is read and sent page by page, so its memory does not grow with the statement, and a slow
 * reader holds no connection of the database.
 */

/** Each export uses memory and CPU time until its client has read the whole file. */
const maxExports = 4
const retrySeconds = 5
const pageItems = 250

/** The users whose exports run in this process. */
export type RunningExports = Set<string>

/**
 * Returns the stream of all items that match the filters. Reads the first page before the stream begins, so that errors
 * get a status.
 */
export async function exportStatement(
  ctx: Ctx,
  running: RunningExports,
  caller: UserCaller,
  filters: Filters,
): Promise<Readable> {
  if (isEmptyRange(filters)) throw new Refusal('INVALID_DATE_RANGE')
  const { userId } = caller
  if (running.size >= maxExports || running.has(userId)) throw new Refusal('RATE_LIMITED', retrySeconds)
  running.add(userId)
  try {
    const first = await readItems(ctx, caller, filters, null)
    if (first.length === 0) await requireAccount(ctx.db, caller)
    const stream = Readable.from(lines(ctx, caller, filters, first), { objectMode: false })
    return stream.once('close', () => running.delete(userId))
  } catch (error) {
    running.delete(userId)
    throw error
  }
}

async function* lines(ctx: Ctx, caller: UserCaller, filters: Filters, first: readonly StatementItem[]) {
  yield csvHead
  let items = first
  for (;;) {
    const last = items.at(-1)
    if (last !== undefined) yield items.map(csvLine).join('')
    if (last === undefined || items.length < pageItems) break
    items = await readItems(ctx, caller, filters, { createdAt: new Date(last.createdAt), itemId: last.id })
  }
  // A caller who has lost access gets no more rows. The stream must then fail, or the file would look complete.
  await requireAccount(ctx.db, caller)
}

async function readItems(
  ctx: Ctx,
  caller: UserCaller,
  filters: Filters,
  after: Position | null,
): Promise<StatementItem[]> {
  const texts: string[] = []
  const add = (bytes: Buffer, start: number, end: number) => {
    texts.push(bytes.toString('latin1', start, end))
  }
  await eachReadableItem(ctx.db.reader, caller, { filters, after, limit: pageItems }, add)
  return JSON.parse(`[${texts.join()}]`)
}
