import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { deriveKeys, type Keys, secretId } from '../../platform/crypto/derive-key.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { trailOf } from '../../platform/observability/log.ts'
import { type ChainedMovement, chainStart, headOf, isAuthentic, reauthenticate, sealMovements } from './hash-chain.ts'
import {
  findLastSeal,
  findMovements,
  findPostings,
  insertSeal,
  type PostingRow,
  type SealPosition,
  scanDueOldSealCount,
  scanDueOldSeals,
  scanDueSeals,
  scanDueSealsSince,
  updateSealMacs,
} from './sql.ts'

/**
 * Seals movements, outside the transactions that move money. Owns `movement_seal`.
 * A seal covers the next movements of a user without gaps. Its primary key decides a race between processes, so nothing
 * is locked. The last hash of each seal is logged: a log stored elsewhere reveals a database that was rolled back as a
 * whole.
 */
export const sealEverySeconds = 30

/** The message of the log lines that carry the user, the last sealed movement and its hash. */
export const sealLogMessage = 'books sealed'

/** Sorts before every user id. */
export const beforeFirstUserId = '00000000-0000-0000-0000-000000000000'

const maxUsersPerPage = 1000
const maxMovementsPerSeal = 1000
const concurrency = 4
/** A movement's time is set before it commits, and the clocks of machines differ. */
const overlapSeconds = 120

export function sealKeys(config: Pick<Config, 'secrets'>): Keys {
  return deriveKeys(config.secrets, 'sealed books')
}

/** Seals the movements since the last round. The first round of a process scans every account. */
export async function sealDue(ctx: Ctx, signal?: AbortSignal): Promise<void> {
  const startedAt = ctx.clock.now()
  const { sealScan } = ctx.caches
  const since = sealScan.startedAt && addSeconds(earlier(sealScan.startedAt, startedAt), -overlapSeconds)
  let after = beforeFirstUserId
  for (;;) {
    const keys =
      since === null
        ? await scanDueSeals(ctx.db, after, maxUsersPerPage)
        : await scanDueSealsSince(ctx.db, after, maxUsersPerPage, since)
    const due = keys.filter(({ isDue }) => isDue)
    for (let i = 0; i < due.length; i += concurrency) {
      if (signal?.aborted) return
      const beganAt = performance.now()
      await Promise.all(due.slice(i, i + concurrency).map(({ userId }) => sealUser(ctx, userId)))
      // Rests for as long as it worked, so that payments find a free CPU.
      await delay(performance.now() - beganAt, undefined, { signal }).catch(() => {})
    }
    const last = keys.at(-1)
    if (last === undefined || keys.length < maxUsersPerPage) break
    after = last.userId
  }
  sealScan.startedAt = startedAt
}

const earlier = (a: Date, b: Date) => (a < b ? a : b)

/** Seals all committed movements of one user. */
export async function sealUser(ctx: Pick<Ctx, 'config' | 'db' | 'clock' | 'log'>, userId: string): Promise<void> {
  for (;;) {
    const last = await findLastSeal(ctx.db, userId)
    const next = last === null ? 1n : last.lastSeq + 1n
    const { movements } = await readMovements(ctx.db, userId, next - 1n, maxMovementsPerSeal)
    const unbroken = movements.filter(({ seq }, i) => seq === next + BigInt(i))
    if (unbroken.length < movements.length) {
      ctx.log.error({ userId, seq: String(next + BigInt(unbroken.length)) }, 'gap found in the movements of a user')
    }
    if (unbroken.length === 0) return
    const before = last === null ? chainStart : headOf(last)
    const seal = sealMovements(sealKeys(ctx.config), userId, before, unbroken, ctx.clock.now())
    if (!(await insertSeal(ctx.db, userId, seal, secretId(ctx.config.secrets[0])))) continue
    trailOf(ctx.log).info({ userId, seq: String(seal.lastSeq), head: headOf(seal).toString('hex') }, sealLogMessage)
    if (unbroken.length < maxMovementsPerSeal) return
  }
}

export function countSealsUnderOldSecrets({ config, db }: Pick<Ctx, 'config' | 'db'>): Promise<number> {
  return scanDueOldSealCount(db, secretId(config.secrets[0]))
}

const maxSealsPerBatch = 500

/**
 * Recomputes the MACs of all seals with the first secret, in batches. Seals that are not authentic stay unchanged: a
 * new MAC would hide the forgery. Returns their number.
 */
export async function reauthenticateSeals(
  { config, db }: Pick<Ctx, 'config' | 'db'>,
  onBatch: (seals: number) => void,
): Promise<{ rejected: number }> {
  const keys = sealKeys(config)
  const id = secretId(config.secrets[0])
  let rejected = 0
  for (let after: SealPosition = { userId: beforeFirstUserId, firstSeq: 0n }; ; ) {
    const seals = await scanDueOldSeals(db, id, after, maxSealsPerBatch)
    const authentic = seals.filter((seal) => isAuthentic(keys, seal.userId, seal))
    const authenticated = authentic.map((seal) => ({ ...seal, mac: reauthenticate(keys, seal.userId, seal) }))
    if (authenticated.length > 0) await updateSealMacs(db, id, authenticated)
    rejected += seals.length - authentic.length
    const last = seals.at(-1)
    if (last === undefined) return { rejected }
    onBatch(authentic.length)
    after = last
  }
}

export type MovementPage = {
  readonly movements: readonly ChainedMovement[]
  /** postings without their movement */
  readonly orphans: readonly PostingRow[]
}

/** Returns the next movements with their postings. Both are append-only, so two statements see complete movements. */
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
