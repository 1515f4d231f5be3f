import { type EventType, eventTypes } from '../events/rules.ts'

/** What an endpoint may ask for: one type, all of a thing (`deposit.*`), or everything (`*`). */
export function isFilter(text: string): boolean {
  if (text === '*') return true
  const group = text.endsWith('.*') ? text.slice(0, -1) : null
  return eventTypes.some((type) => (group === null ? type === text : type.startsWith(group)))
}

export function isWanted(filters: readonly string[], type: EventType): boolean {
  return filters.some(
    (filter) => filter === '*' || filter === type || (filter.endsWith('.*') && type.startsWith(filter.slice(0, -1))),
  )
}

/** Why a webhook cannot be sent there, or null. Whether the address is a private one is seen when it is resolved. */
export function problemOfUrl(text: string, mayBePlain: boolean): string | null {
  if (!URL.canParse(text)) return 'is not a URL'
  const { protocol, username, password, hash } = new URL(text)
  if (protocol !== 'https:' && !(mayBePlain && protocol === 'http:')) return 'must begin with https://'
  if (username !== '' || password !== '') return 'must not hold a user name or a password'
  return hash === '' ? null : 'must not have a fragment'
}

/** From a failed attempt to the next: 12 more, together three days. */
const delaySeconds = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 72_000, 86_400] as const

/** An endpoint that only failed for so long is not tried any more. */
export const giveUpSeconds = 3 * 86_400

const longestWaitSeconds = 86_400

/** What an attempt has come to: the status of the answer, or in words why there was none. */
export type Outcome =
  | { readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly status: null; readonly error: string }

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterSeconds: number }
  | { readonly kind: 'dead'; readonly isGone: boolean }

/**
 * What becomes of a delivery. An answer of 4xx says that the same request will never be taken, except for 408 and 429;
 * 410 says that none ever will be. `random`, from 0 to 1, spreads the next attempts by a tenth either way, so that what
 * failed together is not tried again together.
 */
export function judge(outcome: Outcome, attempts: number, random: number): Verdict {
  const { status } = outcome
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' }
  const isFinal = status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429
  const delay = delaySeconds[attempts - 1]
  if (isFinal || delay === undefined) return { kind: 'dead', isGone: status === 410 }
  const wished = outcome.status === null ? 0 : Math.min(outcome.retryAfterSeconds ?? 0, longestWaitSeconds)
  return { kind: 'retry', afterSeconds: Math.max(delay * (0.9 + 0.2 * random), wished) }
}

/** The events after which a user's balances may be others. */
export function mayMoveMoney(type: EventType): boolean {
  return /^(deposit|withdrawal|card\.transaction)\./.test(type)
}

/** What all see of an event: the same text is sent, signed, pulled and sent again. `fields` is the text of an object. */
export function envelope(event: {
  eventId: string
  type: EventType
  createdAt: Date
  fields: string
  /** whose it is; null: the partner's own */
  of: { userId: string; accountId: string | null; sequence: bigint } | null
}): string {
  const { of, fields } = event
  const ids = of === null ? '' : JSON.stringify({ userId: of.userId, accountId: of.accountId }).slice(1, -1)
  // A sequence is far below 2^53: it is counted up one by one.
  const owner = of === null ? '' : `${ids},"sequence":${of.sequence}${fields === '{}' ? '' : ','}`
  const head = { id: publicId(event.eventId), type: event.type, createdAt: event.createdAt.toISOString() }
  return `${JSON.stringify(head).slice(0, -1)},"data":{${owner}${fields.slice(1)}}`
}

/** An event's id as partners know it. */
export function publicId(eventId: string): string {
  return `evt_${eventId.replaceAll('-', '')}`
}

/** From `evt_…` back; the pattern of the routes has made sure of its form. */
export function eventIdOf(id: string): string {
  return id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
