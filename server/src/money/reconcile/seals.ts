import type { KeyObject } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { deriveKey } from '../../platform/crypto/derive-key.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { type ChainedMovement, chainStart, headOf, sealMovements } from './chain.ts'
import {
  findLastSeal,
  findMovements,
  findPostings,
  insertSeal,
  type PostingRow,
  scanDueSeals,
  scanDueSealsSince,
} from './sql.ts'

/**
 * Sealing the books, outside the transactions that move money. Owns `movement_seal`.
 * A seal covers the next movements of a user without a gap; its place decides between processes that seal at once, so
 * nothing is locked. The last hash of each seal is logged: the log, kept elsewhere, is what a database that was set back
 * as a whole can be held against.
 */
export const sealEverySeconds = 30

/** Log lines with this text name the user, the movement and its hash. */
export const sealedText = 'books sealed'

/** Before the first user id in order. */
export const beforeAllUsers = '00000000-0000-0000-0000-000000000000'

const usersAPage = 1000
const movementsASeal = 1000
const lanes = 4
/** Movements are stamped before they commit, and clocks of several machines differ. */
const overlapSeconds = 600

export function sealKey(config: Pick<Config, 'secret'>): KeyObject {
  return deriveKey(config.secret, 'sealed books')
}

/** Seals what moved since the last round; the first round of a process looks at every account. */
export async function sealDue(ctx: Ctx, signal?: AbortSignal): Promise<void> {
  const startedAt = ctx.clock.now()
  const { sealScan } = ctx.caches
  const since = sealScan.startedAt && addSeconds(earlier(sealScan.startedAt, startedAt), -overlapSeconds)
  let after = beforeAllUsers
  for (;;) {
    const keys =
      since === null
        ? await scanDueSeals(ctx.db, after, usersAPage)
        : await scanDueSealsSince(ctx.db, after, usersAPage, since)
    const due = keys.filter(({ isDue }) => isDue)
    for (let i = 0; i < due.length; i += lanes) {
      if (signal?.aborted) return
      await Promise.all(due.slice(i, i + lanes).map(({ userId }) => sealUser(ctx, userId)))
    }
    const last = keys.at(-1)
    if (last === undefined || keys.length < usersAPage) break
    after = last.userId
  }
  sealScan.startedAt = startedAt
}

const earlier = (a: Date, b: Date) => (a < b ? a : b)

/** Seals all that is committed of one user's movements. */
export async function sealUser(ctx: Pick<Ctx, 'config' | 'db' | 'clock' | 'log'>, userId: string): Promise<void> {
  for (;;) {
    const last = await findLastSeal(ctx.db, userId)
    const next = last === null ? 1n : last.lastSeq + 1n
    const { movements } = await readMovements(ctx.db, userId, next - 1n, movementsASeal)
    const unbroken = movements.filter(({ seq }, i) => seq === next + BigInt(i))
    if (unbroken.length < movements.length) {
      ctx.log.error({ userId, seq: String(next + BigInt(unbroken.length)) }, 'a movement is missing from the books')
    }
    if (unbroken.length === 0) return
    const before = last === null ? chainStart : headOf(last)
    const seal = sealMovements(sealKey(ctx.config), userId, before, unbroken, ctx.clock.now())
    if (!(await insertSeal(ctx.db, userId, seal))) continue
    ctx.log.info({ userId, seq: String(seal.lastSeq), head: headOf(seal).toString('hex') }, sealedText)
    if (unbroken.length < movementsASeal) return
  }
}

export type MovementPage = {
  readonly movements: readonly ChainedMovement[]
  /** postings that name a movement which is not there */
  readonly orphans: readonly PostingRow[]
}

/** The next movements with their postings. Both are only ever added, so two statements see the same movements whole. */
export async function readMovements(
  db: Queryable,
  userId: string,
  after: bigint,
  limit: number,
): Promise<MovementPage> {
  const rows = await findMovements(db, userId, after, limit)
  const through = rows.length === limit ? (rows.at(-1)?.seq ?? null) : null
  const postings = Map.groupBy(await findPostings(db, userId, after, through), ({ seq }) => seq)
  const movements = rows.map((row) => ({ ...row, postings: postings.get(row.seq) ?? [] }))
  const known = new Set(rows.map(({ seq }) => seq))
  return { movements, orphans: [...postings].flatMap(([seq, lines]) => (known.has(seq) ? [] : lines)) }
}
