/** The facts that the service writes into the page. */
export type ServiceFacts = {
  readonly mode: 'sandbox' | 'production'
  /** Null: the same server as the page. */
  readonly apiUrl: string | null
  readonly authModuleUrl: string | null
  /** Whether this host serves operators. */
  readonly hasOperators: boolean
  /** How far the clock of the service was ahead of the real time when it sent the page. */
  readonly clockAheadMilliseconds: number
}

function readFacts(): ServiceFacts {
  const content = document.querySelector('meta[name="purser"]')?.getAttribute('content') ?? '{}'
  const given: Partial<ServiceFacts> = JSON.parse(content)
  // The development server does not fill the page in.
  return {
    mode: given.mode ?? 'sandbox',
    apiUrl: given.apiUrl ?? null,
    authModuleUrl: given.authModuleUrl ?? null,
    hasOperators: given.hasOperators ?? true,
    clockAheadMilliseconds: given.clockAheadMilliseconds ?? 0,
  }
}

export const facts: ServiceFacts = readFacts()
export const isSandbox: boolean = facts.mode === 'sandbox'

let lastClockAhead = facts.clockAheadMilliseconds

/**
 * Returns how many milliseconds the clock of the service is ahead. The value is from the loading of the page, or from
 * the last call of `recordServiceTime`.
 */
export const clockAhead = (): number => lastClockAhead

/** Returns the time of the service, in milliseconds. The clock of a sandbox can be ahead of that of the browser. */
export const serviceNow = (): number => Date.now() + lastClockAhead

/** Records the time that the service has just reported. */
export function recordServiceTime(now: string): void {
  lastClockAhead = Date.parse(now) - Date.now()
}
