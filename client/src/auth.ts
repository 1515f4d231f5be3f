import type { ErrorCode } from './error-codes.ts'
import type { PurserError } from './errors.ts'
import type { CallOptions } from './types.ts'

/** Sends a request that belongs to signing in, without credentials. */
export type Send = (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<unknown>

export type Credentials = Readonly<Record<string, string>>

/** One way to authenticate. A client can have several, for different paths. */
export type Auth = {
  /** Returns whether this authentication is for a path. */
  readonly covers: (path: string) => boolean
  /** Returns the headers that authenticate a request to the path. Its retries reuse them until `renew` succeeds. */
  readonly headers: (path: string) => Credentials | Promise<Credentials>
  /** Called after a 401 with the rejected headers. Returns whether a new attempt can succeed. */
  readonly renew?: (rejected: Credentials, code: ErrorCode, path: string) => Promise<boolean>
  /** Called with each successful response. */
  readonly received?: (method: string, path: string, data: unknown) => void
  /** Called with the error of each call that failed. */
  readonly failed?: (method: string, path: string, error: PurserError) => void
  /** Called once by the client, before everything else. */
  readonly connect?: (send: Send) => void
}

const simulated = (path: string) => path.startsWith('/sandbox/')
/** Returns whether the path is for operators. */
export const ofOperators = (path: string): boolean => path.startsWith('/operator/')
/** Returns whether the path is for users or partners. */
export const ofUsers = (path: string): boolean => !simulated(path) && !ofOperators(path)

export const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` })

/**
 * Authenticates with a fixed secret, without the white space around it. The error message does not contain the secret.
 */
function fixed(covers: Auth['covers'], name: string, text: string): Auth {
  const secret = text.trim()
  if (!/^[ -~]*$/.test(secret))
    throw new TypeError(`the ${name} has a character that is not printable ASCII. Copy it again.`)
  const credentials = bearer(secret)
  return { covers, headers: () => credentials }
}

/** Authenticates a partner's server with an API key (`psk_…`). */
export function apiKey(key: string): Auth {
  return fixed(ofUsers, 'API key', key)
}

/** Authenticates with an access token that was obtained elsewhere. */
export function accessToken(token: string): Auth {
  return fixed(ofUsers, 'access token', token)
}

/** Authenticates an operator with the token of a session that was opened elsewhere. */
export function operatorToken(token: string): Auth {
  return fixed(ofOperators, 'session token', token)
}

/** Authenticates the operations of the sandbox's simulator. */
export function simulator(password = 'sandbox'): Auth {
  const bytes = new TextEncoder().encode(`simulator:${password}`)
  const credentials = { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
  return { covers: simulated, headers: () => credentials }
}
