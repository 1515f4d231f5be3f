// pure
import { hash } from 'node:crypto'
import { type EventType, eventTypes } from '../events/rules.ts'
import { uuidOf } from '../lib/id.ts'

export const endpointStatuses = ['enabled', 'disabled'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

/** Why an endpoint is disabled: by its partner, after three days of failures, or after a response of 410. */
export const disabledReasons = ['partner', 'failing', 'gone'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** `dead` is a dead letter: it is not retried unless requested. */
export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Returns whether the text is an event type, a group of types (`deposit.*`), or all types (`*`). */
export function isFilter(text: string): boolean {
  if (text === '*') return true
  const group = text.endsWith('.*') ? text.slice(0, -1) : null
  return eventTypes.some((type) => (group === null ? type === text : type.startsWith(group)))
}

/** Returns whether one of the filters matches the event type. */
export function isWanted(filters: readonly string[], type: EventType): boolean {
  return filters.some(
    (filter) => filter === '*' || filter === type || (filter.endsWith('.*') && type.startsWith(filter.slice(0, -1))),
  )
}

/** Returns a text that differs when the settings differ. A change names the version that its author saw. */
export function versionOf({
  url,
  events,
  description,
  status,
}: {
  readonly url: string
  readonly events: readonly string[]
  readonly description: string
  readonly status: EndpointStatus
}): string {
  return hash('sha256', JSON.stringify([url, events, description, status]), 'base64url')
}

/**
 * Returns why a URL cannot be an endpoint, or null. Private addresses are rejected later, when the name is resolved.
 */
export function problemOfEndpointUrl(text: string, allowsHttp: boolean): string | null {
  if (!URL.canParse(text)) return 'is not a URL'
  const { protocol, username, password, hash } = new URL(text)
  if (protocol !== 'https:' && !(allowsHttp && protocol === 'http:')) return 'must begin with https://'
  if (username !== '' || password !== '') return 'must not contain a user name or a password'
  return hash === '' ? null : 'must not have a fragment'
}

/** The delays before the retries: 12 retries over three days. */
const delaySeconds = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 72_000, 86_400] as const

/** The duration of uninterrupted failures after which an endpoint is disabled. */
export const maxFailingSeconds = 3 * 86_400

/**
 * The maximum time between two failed attempts of an uninterrupted series. A longer pause, such as a suspension or a
 * time without events, ends the series. This time exceeds the longest delay between two retries.
 */
export const maxPauseSeconds = 36 * 3600

const maxRetryAfterSeconds = 86_400

/** The HTTP status of an attempt's response, or the reason for a missing response. */
export type AttemptOutcome =
  | { readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly status: null; readonly error: string }

export type DeliveryDecision =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterSeconds: number }
  | { readonly kind: 'dead'; readonly isGone: boolean }

/**
 * Decides the next state of a delivery after an attempt. A 4xx response other than 408 and 429 makes it a dead letter,
 * and 410 also disables the endpoint. `random`, from 0 to 1, adds a jitter of ±10 %, so that deliveries that failed
 * together are not retried together.
 */
export function decideDelivery(outcome: AttemptOutcome, attempts: number, random: number): DeliveryDecision {
  const { status } = outcome
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' }
  const isFinal = status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429
  const delay = delaySeconds[attempts - 1]
  if (isFinal || delay === undefined) return { kind: 'dead', isGone: status === 410 }
  const retryAfter = outcome.status === null ? 0 : Math.min(outcome.retryAfterSeconds ?? 0, maxRetryAfterSeconds)
  return { kind: 'retry', afterSeconds: Math.max(delay * (0.9 + 0.2 * random), retryAfter) }
}

/** Returns whether an event of this type can change the user's balances. */
export function canChangeBalances(type: EventType): boolean {
  return /^(deposit|withdrawal|card\.transaction)\./.test(type)
}

/**
 * Returns the JSON text of an event. It is built once, so deliveries, retries and `GET /partner/events` return the same
 * bytes. `fields` is the text of a JSON object.
 */
export function envelope(event: {
  eventId: string
  type: EventType
  createdAt: Date
  fields: string
  /** the user that the event is about; null for an event about the partner itself */
  of: { userId: string; accountId: string | null; sequence: bigint } | null
  /** Whether the partner made it to test an endpoint. */
  isTest?: boolean
}): string {
  const { of, fields, isTest = false } = event
  const ids = of === null ? '' : JSON.stringify({ userId: of.userId, accountId: of.accountId }).slice(1, -1)
  // A sequence counts up by one, so it stays far below 2^53 and is exact as a JSON number.
  const owner = of === null ? '' : `${ids},"sequence":${of.sequence}${fields === '{}' ? '' : ','}`
  const head = { id: publicId(event.eventId), type: event.type, createdAt: event.createdAt.toISOString() }
  const mark = isTest ? ',"test":true' : ''
  return `${JSON.stringify(head).slice(0, -1)}${mark},"data":{${owner}${fields.slice(1)}}`
}

/** Returns the event id that partners see: `evt_…`. */
export function publicId(eventId: string): string {
  return `evt_${eventId.replaceAll('-', '')}`
}

/** Returns the internal id behind `evt_…`. The routes have already validated the form. */
export function eventIdOf(id: string): string {
  return uuidOf(id.slice(4))
}
