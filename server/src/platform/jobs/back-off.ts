// pure

/**
 * The delays of failed work. Two rules keep the work of a vendor that is down both prompt and cheap:
 *
 * - A row is retried after 1 s, 2 s, 4 s and so on, up to a minute. So its work resumes within a minute of the
 *   recovery.
 * - The rows of a table are retried at most ten times a second in a process. So each of 10,000 rows is retried every 17
 *   minutes, at the same cost as 600 rows every minute.
 */
const maxBackOffSeconds = 60
const retriesPerSecond = 10
/** No retry is postponed further than this. */
export const maxRetrySeconds = 3600

export type BackOff = (attempts: number, now: Date) => number

/** Returns a function that counts the failures of a table, and returns the seconds until the retry of each. */
export function createBackOff(): BackOff {
  /** A leaky bucket of failures. It drains at `retriesPerSecond`. */
  let failures = 0
  let countedAt: Date | null = null
  return (attempts, now) => {
    const elapsed = countedAt === null ? 0 : Math.max(0, now.getTime() - countedAt.getTime()) / 1000
    countedAt = now
    failures = Math.max(0, failures - elapsed * retriesPerSecond) + 1
    const ofRow = Math.min(maxBackOffSeconds, 2 ** Math.min(attempts - 1, 12))
    return Math.min(maxRetrySeconds, Math.max(ofRow, failures / retriesPerSecond))
  }
}

/** Returns whether to log a failure: the first, second, fourth, eighth and so on. The others say the same. */
export function isLogged(attempts: number): boolean {
  return Number.isInteger(Math.log2(attempts))
}
