import type { Ctx } from '../../context.ts'
import { type RefusalCode, refusals } from '../../lib/errors.ts'
import { trailOf } from './log.ts'

/** The events that a security team should see. docs/operations.md describes each. */
export const securityEvents = [
  'sign_in_rejected',
  'access_denied',
  'rate_limited',
  'callback_rejected',
  'api_key_used',
  'owner_changed',
  'owner_change_rejected',
  'sessions_ended',
  'operator_signed_in',
  'personal_data_revealed',
  'operator_decided',
  'kill_switch_changed',
  'programme_conflict',
] as const

export type SecurityEvent = (typeof securityEvents)[number]

/** The log lines of one event in the current second. Lines above the maximum are counted but not written. */
export type SecurityLines = { second: number; written: number; suppressed: number }

/** Limits the log, because unauthenticated clients cause most of these events and could fill its disk. */
const maxLinesPerSecond = 10

const signInCodes: ReadonlySet<RefusalCode> = new Set([
  'INVALID_NONCE',
  'NONCE_EXPIRED',
  'NONCE_USED',
  'DOMAIN_NOT_ALLOWED',
  'DOMAIN_OF_OTHER_PARTNER',
  'MESSAGE_EXPIRED',
  'MESSAGE_NOT_YET_VALID',
  'INVALID_SIGNATURE',
  'CHAIN_NOT_SUPPORTED',
  'NOT_AN_OPERATOR',
] as const)
const callbackCodes: ReadonlySet<RefusalCode> = new Set([
  'ISSUER_UNAUTHORIZED',
  'ISSUER_TIMESTAMP_REFUSED',
  'ISSUER_SIGNATURE_REFUSED',
  'CALLBACK_REFUSED',
] as const)
const ownerCodes: ReadonlySet<RefusalCode> = new Set(['WALLET_NOT_PROVEN', 'OWNER_NOT_APPROVED'] as const)

/** Returns the security event of a rejected request; null for an ordinary mistake. */
export function eventOfRefusal(code: RefusalCode): SecurityEvent | null {
  if (signInCodes.has(code)) return 'sign_in_rejected'
  if (callbackCodes.has(code)) return 'callback_rejected'
  if (ownerCodes.has(code)) return 'owner_change_rejected'
  const [status] = refusals[code]
  if (status === 429) return 'rate_limited'
  return status === 401 || status === 403 ? 'access_denied' : null
}

/**
 * Counts a security event and logs it. `reason` is a refusal code or another name from the code, never a value from a
 * request. Fields are ids and addresses, never secrets.
 */
export function reportSecurity(
  { log, metrics, caches }: Pick<Ctx, 'log' | 'metrics' | 'caches'>,
  event: SecurityEvent,
  reason: string,
  fields: object,
): void {
  metrics.securityEvents.inc({ event, reason })
  const second = Math.floor(performance.now() / 1000)
  const lines = caches.securityLines.get(event) ?? { second, written: 0, suppressed: 0 }
  caches.securityLines.set(event, lines)
  if (lines.second !== second) Object.assign(lines, { second, written: 0 })
  if (lines.written >= maxLinesPerSecond) {
    lines.suppressed++
    return
  }
  const { suppressed } = lines
  Object.assign(lines, { written: lines.written + 1, suppressed: 0 })
  trailOf(log).info({ event, reason, ...fields, ...(suppressed > 0 ? { suppressed } : {}) }, `security: ${event}`)
}
