import type { Auth } from './auth.ts'
import type { Reply } from './call.ts'
import { errorOf, PurserConnectionError, PurserError, PurserTimeoutError } from './errors.ts'
import { retryDelay } from './retries.ts'
import type { CallOptions, Query } from './types.ts'

/** One attempt, as the hooks see it. */
export type Attempt = {
  readonly method: string
  readonly url: string
  /** 0 for the first attempt. */
  readonly attempt: number
  /** The headers that will be sent. A hook may add some. */
  readonly headers: Record<string, string>
}

/** Functions that observe requests, for example to measure or log them. `headers` contain credentials: do not log them. */
export type Hooks = {
  readonly onRequest?: (attempt: Attempt) => void
  readonly onResponse?: (attempt: Attempt, response: Response, milliseconds: number) => void
  readonly onRetry?: (attempt: Attempt, error: PurserError, delayMilliseconds: number) => void
}

export type Connection = {
  readonly serverOf: (path: string) => string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly auth: readonly Auth[]
  readonly maxRetries: number
  readonly maxRetryAfterSeconds: number | undefined
  readonly timeoutMilliseconds: number
  readonly hooks: Hooks
  readonly traceparent: (() => string | undefined) | null
}

export type Outgoing = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly query?: Query | undefined
  readonly options: CallOptions
  /** The operation needs no credential. */
  readonly isOpen: boolean
  /** The operation takes an idempotency key. */
  readonly takesKey: boolean
}

/**
 * Sends a request until it succeeds, fails for good, or has used up its retries. All attempts carry the same idempotency
 * key. A `POST` without one is sent once, because the lost response may hide a success.
 */
export async function send(connection: Connection, outgoing: Outgoing): Promise<Reply<unknown>> {
  const { method, path, options, takesKey } = outgoing
  const { maxRetries = connection.maxRetries, timeoutMilliseconds = connection.timeoutMilliseconds, signal } = options
  const { onRequest, onResponse, onRetry } = connection.hooks
  const idempotencyKey = takesKey ? (options.idempotencyKey ?? newKey()) : null
  const isRepeatable = method !== 'POST' || takesKey
  const auth = outgoing.isOpen ? undefined : connection.auth.find(({ covers }) => covers(path))
  const { url, headers: commonHeaders, body } = prepare(connection, outgoing, idempotencyKey)
  let renewals = 0
  for (let number = 0; ; number++) {
    const given = auth?.headers()
    const credentials = given instanceof Promise ? await given : given
    const attempt: Attempt = { method, url, attempt: number, headers: { ...commonHeaders, ...credentials } }
    signal?.throwIfAborted()
    const life = new AbortController()
    const timer = setTimeout(expire, timeoutMilliseconds, life, attempt, timeoutMilliseconds, isRepeatable)
    const stop = signal && (() => life.abort(signal.reason))
    if (stop) signal.addEventListener('abort', stop)
    let outcome: Reply<unknown> | PurserError
    try {
      onRequest?.(attempt)
      const startedAt = onResponse ? performance.now() : 0
      const init: RequestInit = { method, headers: attempt.headers, signal: life.signal, redirect: 'error' }
      if (body !== undefined) init.body = body
      const response = await connection.fetch(url, init)
      // Lines of JSON (application/x-ndjson) are a text.
      const isJson = response.ok && /\bjson\b/.test(response.headers.get('content-type') ?? '')
      const data: unknown = isJson ? await response.json() : await response.text()
      onResponse?.(attempt, response, performance.now() - startedAt)
      outcome = response.ok ? { data, response } : errorOf(placeOf(attempt), response, String(data))
    } catch (cause) {
      signal?.throwIfAborted()
      const { aborted, reason } = life.signal
      outcome = aborted
        ? reason
        : new PurserConnectionError(`${placeOf(attempt)}: ${messageOf(cause)}`, isRepeatable, cause)
    } finally {
      clearTimeout(timer)
      if (stop) signal.removeEventListener('abort', stop)
    }
    if (!(outcome instanceof PurserError)) {
      auth?.received?.(method, path, outcome.data)
      return outcome
    }
    outcome.idempotencyKey = idempotencyKey
    if (credentials && outcome.status === 401 && renewals === 0 && (await auth?.renew?.(credentials, outcome.code))) {
      // The service rejected the request unseen, so the attempt does not count.
      renewals++
      number--
      continue
    }
    const isLast = !isRepeatable || number >= maxRetries
    const delay = isLast ? null : retryDelay(outcome, number, Math.random(), connection.maxRetryAfterSeconds)
    if (delay === null) throw outcome
    onRetry?.(attempt, outcome, delay)
    await pause(delay, signal)
  }
}

function expire(life: AbortController, attempt: Attempt, milliseconds: number, isRepeatable: boolean): void {
  life.abort(new PurserTimeoutError(`${placeOf(attempt)}: no response within ${milliseconds} ms`, isRepeatable))
}

const placeOf = ({ method, url }: Attempt) => `${method} ${url.split('?', 1)[0]}`

type Prepared = {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

function prepare(connection: Connection, { path, body, query, options }: Outgoing, key: string | null): Prepared {
  const headers: Record<string, string> = { ...options.headers }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (key !== null) headers['idempotency-key'] = key
  const traceparent = options.traceparent ?? connection.traceparent?.()
  if (traceparent !== undefined) headers['traceparent'] = traceparent
  const search = query === undefined && options.query === undefined ? '' : textOf({ ...query, ...options.query })
  const url = `${connection.serverOf(path)}${path}${search && `?${search}`}`
  return { url, headers, body: body === undefined ? undefined : JSON.stringify(body) }
}

function textOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
  )
  return pairs.length === 0 ? '' : String(new URLSearchParams(pairs))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the request failed'
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Returns a random key. Pages without https lack `crypto.randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
