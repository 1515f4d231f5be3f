import type { Auth, Credentials } from './auth.ts'
import type { Reply } from './call.ts'
import { errorOf, PurserConnectionError, PurserError, PurserTimeoutError, unexpected } from './errors.ts'
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

/**
 * Functions that observe requests, for example to measure or log them. `headers` contain credentials: do not log them.
 * An error that a hook throws ends the call, without a retry, and reaches its caller.
 */
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
  /** The response may be text instead of JSON. */
  readonly takesText: boolean
}

/** JavaScript timers hold 31 bits. A timer with a longer time would fire at once. */
const maxTimerMilliseconds = 2 ** 31 - 1

/**
 * Sends a request until it succeeds, fails for good, or has used up its retries. All attempts carry the same
 * idempotency key. A `POST` without one is sent once, because a lost response may hide a success.
 */
export async function send(connection: Connection, outgoing: Outgoing): Promise<Reply<unknown>> {
  const { method, path, options, takesKey } = outgoing
  const { maxRetries = connection.maxRetries, signal } = options
  const { onRequest, onResponse, onRetry } = connection.hooks
  const isRepeatable = method !== 'POST' || takesKey
  const auth = outgoing.isOpen ? undefined : connection.auth.find(({ covers }) => covers(path))
  const { url, headers: commonHeaders, body, idempotencyKey } = prepare(connection, outgoing)
  let renewals = 0
  let kept: Credentials | undefined
  for (let number = 0; ; number++) {
    // A retry keeps its credentials. After a logout, getting new ones would sign in again.
    const given = kept ?? auth?.headers(path)
    const credentials = given instanceof Promise ? await untilAborted(given, signal) : given
    kept = credentials
    const attempt: Attempt = { method, url, attempt: number, headers: { ...commonHeaders, ...credentials } }
    signal?.throwIfAborted()
    onRequest?.(attempt)
    const startedAt = onResponse ? performance.now() : 0
    const received = await exchange(connection, attempt, body, outgoing, isRepeatable)
    // The hooks are the caller's. Their errors are thrown as they are, and never cause another attempt.
    if ('response' in received) onResponse?.(attempt, received.response, performance.now() - startedAt)
    const outcome = 'response' in received ? outcomeOf(attempt, received) : received
    if (!(outcome instanceof PurserError)) {
      auth?.received?.(method, path, outcome.data)
      return outcome
    }
    outcome.idempotencyKey = idempotencyKey
    const isRenewable = credentials && outcome.status === 401 && renewals === 0
    const renewal = isRenewable && auth?.renew?.(credentials, outcome.code, path)
    if (renewal && (await untilAborted(renewal, signal))) {
      // The service rejected the request before it acted, so the attempt does not count.
      kept = undefined
      renewals++
      number--
      continue
    }
    const isLast = !isRepeatable || signal?.aborted || number >= maxRetries
    const delay = isLast ? null : retryDelay(outcome, number, Math.random(), connection.maxRetryAfterSeconds)
    if (delay === null) {
      // Called after an abort too, because the service may have acted before it.
      auth?.failed?.(method, path, outcome)
      signal?.throwIfAborted()
      throw outcome
    }
    onRetry?.(attempt, outcome, delay)
    await pause(delay, signal)
  }
}

/** Stands for the data of a response that had to be JSON and is not. */
const notJson = Symbol('not JSON')

/** Sends one attempt and reads its response. Returns the error if no complete response arrives. */
async function exchange(
  connection: Connection,
  attempt: Attempt,
  body: string | undefined,
  { options, takesText }: Outgoing,
  isRepeatable: boolean,
): Promise<Reply<unknown> | PurserConnectionError> {
  const { timeoutMilliseconds = connection.timeoutMilliseconds, signal } = options
  const life = new AbortController()
  const milliseconds = Math.min(timeoutMilliseconds, maxTimerMilliseconds)
  const timer = setTimeout(expire, milliseconds, life, attempt, milliseconds, isRepeatable)
  const stop = signal && (() => life.abort(signal.reason))
  if (stop) signal.addEventListener('abort', stop)
  const { method, url, headers } = attempt
  const init: RequestInit = { method, headers, signal: life.signal, redirect: 'error' }
  if (body !== undefined) init.body = body
  try {
    const response = await connection.fetch(url, init)
    if (!response.ok) return { data: await response.text(), response }
    if (takesText || 'accept' in headers) {
      return { data: isJson(response) ? await response.json() : await response.text(), response }
    }
    // Headers are parsed when they are first read. That costs 2 % of a request, so only a failure reads them.
    const data: unknown = await response.json().catch((cause) => {
      if (cause instanceof SyntaxError && !isJson(response)) return notJson
      throw cause
    })
    return { data, response }
  } catch (cause) {
    if (life.signal.aborted && !signal?.aborted) return life.signal.reason
    requireSendable(attempt, init)
    return new PurserConnectionError(`${placeOf(attempt)}: ${messageOf(cause)}`, isRepeatable, cause)
  } finally {
    clearTimeout(timer)
    if (stop) signal.removeEventListener('abort', stop)
  }
}

/** Returns whether a response is JSON. Lines of JSON (`application/x-ndjson`) are a text. */
const isJson = ({ headers }: Response) => /\bjson\b/.test(headers.get('content-type') ?? '')

function outcomeOf(attempt: Attempt, { data, response }: Reply<unknown>) {
  if (!response.ok) return errorOf(placeOf(attempt), response, String(data))
  if (data !== notJson) return { data, response }
  const { status, headers } = response
  const message = `${placeOf(attempt)}: ${status}, but the response is not JSON. Check baseUrl.`
  return unexpected(message, status, headers.get('x-request-id'))
}

/**
 * Throws if the request cannot be built, for example because a header contains a non-Latin-1 character. Nothing was
 * sent.
 */
function requireSendable(attempt: Attempt, init: RequestInit): void {
  try {
    new Request(attempt.url, init)
  } catch (cause) {
    throw new TypeError(`${placeOf(attempt)} cannot be sent: ${messageOf(cause)}`, { cause })
  }
}

function expire(life: AbortController, attempt: Attempt, milliseconds: number, isRepeatable: boolean): void {
  life.abort(new PurserTimeoutError(`${placeOf(attempt)}: no response within ${milliseconds} ms`, isRepeatable))
}

const placeOf = ({ method, url }: Attempt) => `${method} ${withoutQuery(url)}`

export function withoutQuery(path: string): string {
  return path.split('?', 1)[0] ?? ''
}

type Prepared = {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
  readonly idempotencyKey: string | null
}

function prepare(connection: Connection, { path, body, query, options, takesKey }: Outgoing): Prepared {
  const headers: Record<string, string> = {}
  // Two spellings of one name would be sent as one header with both values.
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value
  if (body !== undefined) headers['content-type'] = 'application/json'
  const given = headers['idempotency-key'] ?? null
  const idempotencyKey = takesKey ? (options.idempotencyKey ?? given ?? newKey()) : given
  if (idempotencyKey !== null) headers['idempotency-key'] = idempotencyKey
  const traceparent = options.traceparent ?? connection.traceparent?.()
  if (traceparent !== undefined) headers['traceparent'] = traceparent
  const search = query === undefined && options.query === undefined ? '' : textOf({ ...query, ...options.query })
  const url = `${connection.serverOf(path)}${path}${search && `?${search}`}`
  return { url, headers, body: body === undefined ? undefined : JSON.stringify(body), idempotencyKey }
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

/** Waits for the work, unless the signal ends the wait first. The work goes on, because other calls may share it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  try {
    await untilAborted(passed, signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a random key. Pages without https lack `crypto.randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
