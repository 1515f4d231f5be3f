import { PurserError } from '@purser/client'

const defaultWaitSeconds = 5

/** Returns the time that the service asks to wait before the next request. */
export function waitMilliseconds(error: unknown): number {
  if (!(error instanceof PurserError) || !error.retryable) return 0
  return (error.retryAfterSeconds ?? (error.kind === 'rate_limit' ? defaultWaitSeconds : 0)) * 1000
}

/** Returns the time until a query reads again: as given, or longer if the service asks to wait. */
export const pollAfter = (milliseconds: number, error: unknown): number =>
  Math.max(milliseconds, waitMilliseconds(error))

/** The interval of a query that always polls. */
export const poll =
  (milliseconds: number) =>
  ({ state }: { readonly state: { readonly error: Error | null } }): number =>
    pollAfter(milliseconds, state.error)
