import { sqlState } from './sql-state.ts'

/** Why a database that responds cannot do its work, by SQLSTATE. */
const shortages = {
  '53100': 'disk_full',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
  '25006': 'read_only',
  '58030': 'io_error',
} as const

export type Shortage = (typeof shortages)[keyof typeof shortages]

export const shortageKinds: readonly Shortage[] = Object.values(shortages)

const isShortage = (state: string): state is keyof typeof shortages => state in shortages

/** Returns the shortage that an error reports; null for all other errors. */
export function shortageOf(error: unknown): Shortage | null {
  const state = sqlState(error)
  return state !== null && isShortage(state) ? shortages[state] : null
}

/** The time without a failure after which the service reports itself ready again. */
const rememberedMilliseconds = 30_000
/** Limits the reports, because every request fails during a shortage. */
const reportMilliseconds = 60_000

export type Shortages = {
  /** Returns the outcome, and records a shortage. */
  watch<T>(outcome: Promise<T>): Promise<T>
  /** Returns the shortage of the last 30 seconds; null: none. */
  current(): Shortage | null
}

/** Watches statements for shortages, and reports each kind at most once a minute. */
export function watchShortages(report: (shortage: Shortage) => void): Shortages {
  let last: { readonly shortage: Shortage; readonly at: number } | null = null
  const reportedAt = new Map<Shortage, number>()
  return {
    async watch(outcome) {
      try {
        return await outcome
      } catch (error) {
        const shortage = shortageOf(error)
        if (shortage !== null) {
          const at = performance.now()
          last = { shortage, at }
          if (at - (reportedAt.get(shortage) ?? Number.NEGATIVE_INFINITY) >= reportMilliseconds) {
            reportedAt.set(shortage, at)
            report(shortage)
          }
        }
        throw error
      }
    },
    current: () => (last !== null && performance.now() - last.at < rememberedMilliseconds ? last.shortage : null),
  }
}
