import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../server/src/lib/clock.ts'
import type { SigningKey } from '../../server/src/lib/signing-key.ts'
import { signBody } from '../../server/src/platform/crypto/body-signature.ts'

/**
 * The counts of a soak. A timeout is no failure: a repeatable request is sent again with the same key. A response of
 * 502 counts as a timeout, because the service gave up waiting for its database. A late decline (`TMO`) counts too, but
 * is not sent again.
 */
type Tally = {
  readonly responses: Map<string, number>
  timeouts: number
  /** The first unexpected responses, as text for the report. */
  readonly unexpected: string[]
  unexpectedCount: number
}

/** `body` is the parsed JSON, and an empty object for other texts. */
export type Answer = { readonly status: number; readonly text: string; readonly body: Record<string, unknown> }

export type Request = {
  /** The name in the counts. */
  readonly name: string
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Defaults to 200. */
  readonly expected?: number
  /** The error code of the expected response. */
  readonly error?: string
  /** False: a timeout throws `NoResponse`, because the request may not be sent twice. */
  readonly isRepeatable?: boolean
}

export type Requests = {
  readonly tally: Tally
  send(request: Request): Promise<Answer>
  /** Signs and posts a card message as the processor does. Each attempt has a new timestamp. */
  sendMessage(path: string, message: Readonly<Record<string, unknown>>): Promise<Answer>
  /** Counts a response or a state that differs from the prediction. */
  reportUnexpected(what: string): void
}

export class NoResponse extends Error {}

const timeoutMilliseconds = 20_000
const maxAttempts = 60
const maxPauseMilliseconds = 5000
const maxReported = 20

export function createRequests(url: string, key: SigningKey): Requests {
  const tally: Tally = { responses: new Map(), timeouts: 0, unexpected: [], unexpectedCount: 0 }

  function reportUnexpected(what: string): void {
    tally.unexpectedCount++
    if (tally.unexpected.length < maxReported) tally.unexpected.push(what)
  }

  /** Returns null after a timeout. */
  async function attempt(path: string, init: RequestInit): Promise<Answer | null> {
    try {
      const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(timeoutMilliseconds) })
      const text = await response.text()
      if (response.status === 502) {
        tally.timeouts++
        return null
      }
      return { status: response.status, text, body: parse(text) }
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError')) throw error
      tally.timeouts++
      return null
    }
  }

  async function repeat(name: string, maxCount: number, one: () => Promise<Answer | null>): Promise<Answer> {
    for (let attempts = 1; attempts <= maxCount; attempts++) {
      const answer = await one()
      if (answer !== null) {
        const label = `${name} ${answer.status}`
        tally.responses.set(label, (tally.responses.get(label) ?? 0) + 1)
        return answer
      }
      await delay(Math.min(maxPauseMilliseconds, 500 * attempts))
    }
    throw new NoResponse(`${name} got no response in ${maxCount} attempts`)
  }

  return {
    tally,
    reportUnexpected,

    async send({ name, method = 'GET', path, token, body, headers = {}, expected = 200, error, isRepeatable = true }) {
      const init = {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }
      const answer = await repeat(name, isRepeatable ? maxAttempts : 1, () => attempt(path, init))
      if (answer.status !== expected || (error !== undefined && answer.body['error'] !== error)) {
        reportUnexpected(`${name}: ${answer.status} ${answer.text.slice(0, 200)} instead of ${expected} ${error ?? ''}`)
      }
      return answer
    },

    async sendMessage(path, message) {
      const body = JSON.stringify(message)
      const answer = await repeat(String(message['type']), maxAttempts, async () => {
        const timestamp = String(Math.floor(systemClock.now().getTime() / 1000))
        const headers = {
          'content-type': 'application/json',
          'x-issuer-key-id': key.id,
          'x-issuer-timestamp': timestamp,
          'x-issuer-signature': `v1=${signBody(key.secret, timestamp, body)}`,
        }
        return attempt(`/issuer/v1/${path}`, { method: 'POST', headers, body })
      })
      if (answer.status !== 200) reportUnexpected(`${message['type']}: ${answer.status} ${answer.text.slice(0, 200)}`)
      return answer
    },
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
