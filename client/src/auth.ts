import type { ErrorCode } from './error-codes.ts'
import type { CallOptions } from './types.ts'

/** Sends a request of an authentication, without credentials. */
export type Send = (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<unknown>

/** One way to authenticate. A client can have several, for different paths. */
export type Auth = {
  /** Returns whether this authentication is for a path. */
  readonly covers: (path: string) => boolean
  /** Returns the `Authorization` header. */
  readonly authorization: () => string | Promise<string>
  /** Called after a 401 with the rejected header. Returns whether a new attempt can succeed. */
  readonly renew?: (rejected: string, code: ErrorCode) => Promise<boolean>
  /** Called with each successful response. */
  readonly received?: (method: string, path: string, data: unknown) => void
  /** Called once by the client, before everything else. */
  readonly connect?: (send: Send) => void
}

const simulated = (path: string) => path.startsWith('/sandbox/')
const ofOperators = (path: string) => path.startsWith('/operator')
/** Returns whether the path is one of users or partners. */
export const ofUsers = (path: string): boolean => !simulated(path) && !ofOperators(path)

/** Authenticates a partner's server with an API key (`psk_…`). */
export function apiKey(key: string): Auth {
  return { covers: ofUsers, authorization: () => `Bearer ${key}` }
}

/** Authenticates with an access token that was obtained elsewhere. */
export function accessToken(token: string): Auth {
  return { covers: ofUsers, authorization: () => `Bearer ${token}` }
}

/** Authenticates an operator with the token of an operator session. */
export function operator(token: string): Auth {
  return { covers: ofOperators, authorization: () => `Bearer ${token}` }
}

/** Authenticates the operations of the sandbox's simulator. */
export function simulator(password = 'sandbox'): Auth {
  return { covers: simulated, authorization: () => `Basic ${btoa(`simulator:${password}`)}` }
}
