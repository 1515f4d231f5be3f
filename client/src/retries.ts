import { PurserConnectionError, type PurserError } from './errors.ts'

const firstDelayMilliseconds = 250
const maxDelayMilliseconds = 8000
/** For longer waits, the call fails, and the caller decides when to retry. */
const defaultMaxRetryAfterSeconds = 60

/**
 * Returns the delay before the next attempt; null: do not retry. `random` is from 0 to 1: clients that failed together
 * must not retry together.
 */
export function retryDelay(
  error: PurserError,
  attempt: number,
  random: number,
  maxRetryAfterSeconds = defaultMaxRetryAfterSeconds,
): number | null {
  if (!error.retryable && !(error instanceof PurserConnectionError)) return null
  const { retryAfterSeconds } = error
  if (retryAfterSeconds !== null) {
    return retryAfterSeconds > maxRetryAfterSeconds ? null : retryAfterSeconds * 1000 + random * firstDelayMilliseconds
  }
  return Math.min(firstDelayMilliseconds * 2 ** attempt, maxDelayMilliseconds) * (0.5 + random / 2)
}
