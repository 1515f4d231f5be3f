import type { WebhookEvent } from './models.ts'

/** The headers of a delivery: a `Headers` object, or an object with lower-case names as in Node.js. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** `REPEATED`: the window has the event. `IN_PROGRESS`: it has the event, but its handler has not finished. */
export type WebhookProblem =
  | 'MISSING_HEADER'
  | 'TOO_OLD'
  | 'INVALID_SIGNATURE'
  | 'INVALID_BODY'
  | 'REPEATED'
  | 'IN_PROGRESS'

/** Thrown for a delivery that must not be processed. */
export class WebhookError extends Error {
  readonly code: WebhookProblem

  constructor(code: WebhookProblem, message: string) {
    super(`webhook rejected: ${message}`)
    this.name = 'WebhookError'
    this.code = code
  }
}

/** Remembers the ids of recent events, because each event must be processed once. */
export type ReplayWindow = {
  /**
   * Takes an event for processing. Returns its previous state, which is `new` if the window did not have it. A crash
   * skips `finish`, so a window that outlives its process must forget `in_progress` after a time, such as ten minutes.
   */
  take(id: string): 'new' | 'in_progress' | 'done' | Promise<'new' | 'in_progress' | 'done'>
  /** Ends the processing. After a failure the event is new again. */
  finish(id: string, isDone: boolean): void | Promise<void>
}

export type UnwrapOptions = {
  /** The maximum age of a delivery: 300 seconds by default. */
  readonly toleranceSeconds?: number
  /** Rejects events that arrive again. Without it, process each `event.id` once yourself. */
  readonly window?: ReplayWindow
  readonly now?: Date
}

const defaultToleranceSeconds = 300
const publicKeyPrefix = 'whpk_'
const secretPrefix = 'whsec_'

/**
 * Verifies a delivery by the Standard Webhooks specification and returns its event. `body` is the raw text, before any
 * parsing. `keys` are the public keys of the endpoint (`whpk_…`) or its secret (`whsec_…`). During a rotation, there
 * are several. Throws `WebhookError`.
 */
export async function unwrap(
  body: string,
  headers: WebhookHeaders,
  keys: readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, window, now = new Date() }: UnwrapOptions = {},
): Promise<WebhookEvent> {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value !== 'string') throw new WebhookError('MISSING_HEADER', `${name} is missing`)
    return value
  }
  const [id, timestamp, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')]
  const age = Math.abs(now.getTime() / 1000 - Number(timestamp))
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookError('TOO_OLD', `webhook-timestamp is more than ${toleranceSeconds} seconds from now`)
  }
  const isSigned = await isSignedBy(keys, signatures.split(' '), bytesOf(`${id}.${timestamp}.${body}`))
  if (!isSigned) throw new WebhookError('INVALID_SIGNATURE', 'no signature matches a known key')
  const event = eventOf(body)
  const state = await window?.take(event.id)
  if (state === 'done') throw new WebhookError('REPEATED', `${event.id} was processed before`)
  if (state === 'in_progress') throw new WebhookError('IN_PROGRESS', `${event.id} is being processed`)
  return event
}

function eventOf(body: string): WebhookEvent {
  try {
    const event: unknown = JSON.parse(body)
    // The signature proves that the service wrote the body. The OpenAPI document describes its shape.
    if (typeof Object(event).id === 'string') return event as WebhookEvent
  } catch {}
  throw new WebhookError('INVALID_BODY', 'the body is not an event')
}

async function isSignedBy(keys: readonly string[], signatures: readonly string[], content: Bytes): Promise<boolean> {
  for (const text of keys) {
    const { key, algorithm, version } = await importKey(text)
    for (const signature of signatures) {
      const given = signature.startsWith(`${version},`) ? fromBase64(signature.slice(version.length + 1)) : null
      if (given !== null && (await crypto.subtle.verify(algorithm, key, given, content))) return true
    }
  }
  return false
}

const hmac = { name: 'HMAC', hash: 'SHA-256' }

async function importKey(text: string) {
  const isPublic = text.startsWith(publicKeyPrefix)
  const bytes = fromBase64(text.slice(isPublic ? publicKeyPrefix.length : secretPrefix.length))
  if (bytes === null || !(isPublic || text.startsWith(secretPrefix))) {
    throw new TypeError('a key of an endpoint must be whpk_ or whsec_ followed by base64')
  }
  const algorithm = isPublic ? { name: 'Ed25519' } : hmac
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  return { key, algorithm, version: isPublic ? 'v1a' : 'v1' }
}

type Bytes = Uint8Array<ArrayBuffer>

const bytesOf = (text: string): Bytes => new TextEncoder().encode(text)

function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}

const toBase64 = (bytes: Bytes) => btoa(String.fromCharCode(...bytes))

/** Returns a random secret (`whsec_…`) for tests. */
export function newTestSecret(): string {
  return secretPrefix + toBase64(crypto.getRandomValues(new Uint8Array(32)))
}

/** Signs an event with a secret (`whsec_…`), so that tests of a receiver can send it. */
export async function signForTest(
  event: WebhookEvent | { readonly id: string },
  secret: string,
  now: Date = new Date(),
): Promise<{ readonly body: string; readonly headers: Record<string, string> }> {
  const body = JSON.stringify(event)
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const bytes = fromBase64(secret.slice(secretPrefix.length))
  if (bytes === null || !secret.startsWith(secretPrefix))
    throw new TypeError('a secret must be whsec_ followed by base64')
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign'])
  const signature = await crypto.subtle.sign(hmac, key, bytesOf(`${event.id}.${timestamp}.${body}`))
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${toBase64(new Uint8Array(signature))}`,
    },
  }
}

/** Remembers events in memory, for receivers with one process. Several processes need a window in their database. */
export function replayWindow({ maxEvents = 10_000 }: { readonly maxEvents?: number } = {}): ReplayWindow {
  const states = new Map<string, 'in_progress' | 'done'>()
  return {
    take(id) {
      const state = states.get(id) ?? 'new'
      if (state !== 'new') return state
      states.set(id, 'in_progress')
      const [oldest] = states.keys()
      if (states.size > maxEvents && oldest !== undefined) states.delete(oldest)
      return state
    },
    finish(id, isDone) {
      if (!isDone) states.delete(id)
      else if (states.has(id)) states.set(id, 'done')
    },
  }
}
