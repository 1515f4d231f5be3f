import { type ErrorCode, errorCodes } from './error-codes.ts'

/** The kind of an error, by its status. */
export type ErrorKind =
  | 'validation'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'rule'
  | 'rate_limit'
  | 'request'
  | 'unavailable'
  | 'server'
  | 'connection'
  | 'timeout'

/** One invalid part of a request. */
export type InvalidField = {
  readonly in: 'body' | 'query' | 'path' | 'headers'
  /** The path of the field, such as `amount` or `events/0`; empty for the whole part. */
  readonly path: string
  readonly message: string
}

export type ErrorDetails = {
  readonly status: number | null
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly requestId?: string | null
  readonly fields?: readonly InvalidField[]
  readonly retryable: boolean
  readonly retryAfterSeconds?: number | null
  readonly cause?: unknown
}

/** Thrown by every failed call. */
export class PurserError extends Error {
  /** The HTTP status; null without a response. */
  readonly status: number | null
  readonly code: ErrorCode
  readonly kind: ErrorKind
  /** The id of the request in the service's log; null without a response of the service itself. */
  readonly requestId: string | null
  /** The invalid fields, if the request does not match its schema. */
  readonly fields: readonly InvalidField[]
  /** Whether the same request with the same idempotency key can succeed later. */
  readonly retryable: boolean
  /** The wait that the service asks for, in seconds; null: unknown. */
  readonly retryAfterSeconds: number | null
  /** The idempotency key of the call. Repeat the call with it to learn an unknown outcome. */
  idempotencyKey: string | null = null

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'PurserError'
    this.status = details.status
    this.code = details.code
    this.kind = details.kind
    this.requestId = details.requestId ?? null
    this.fields = details.fields ?? []
    this.retryable = details.retryable
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
  }
}

/** No complete response arrived. The outcome of the request is unknown. */
export class PurserConnectionError extends PurserError {
  constructor(message: string, retryable: boolean, cause: unknown, kind: 'connection' | 'timeout' = 'connection') {
    const code = kind === 'timeout' ? 'TIMEOUT' : 'CONNECTION_FAILED'
    super(message, { status: null, code, kind, retryable, cause })
    this.name = 'PurserConnectionError'
  }
}

/** No complete response arrived in time. The outcome of the request is unknown. */
export class PurserTimeoutError extends PurserConnectionError {
  constructor(message: string, retryable: boolean) {
    super(message, retryable, undefined, 'timeout')
    this.name = 'PurserTimeoutError'
  }
}

const kinds: Readonly<Record<number, ErrorKind>> = {
  400: 'validation',
  401: 'authentication',
  403: 'permission',
  404: 'not_found',
  408: 'unavailable',
  409: 'conflict',
  422: 'rule',
  429: 'rate_limit',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

const knownCodes = new Set(errorCodes.split(' '))
const isCode = (text: unknown): text is ErrorCode => typeof text === 'string' && knownCodes.has(text)

/** Builds the error of a response from its body, whose shape depends on the operation. */
export function errorOf(place: string, response: Response, text: string): PurserError {
  const body = parsed(text)
  const validation = messageOf(body['error'])
  const detail = validation ?? messageOf(body)
  const given = validation === null ? (response.headers.get('x-error-code') ?? body['error']) : 'VALIDATION'
  const code = isCode(given) ? given : 'UNKNOWN'
  const shown = typeof given === 'string' && /^[A-Z_]{1,64}$/.test(given) ? given : code
  const { status } = response
  const kind = kinds[status] ?? (status >= 500 ? 'server' : 'request')
  return new PurserError(`${place}: ${status} ${shown}${detail === null ? '' : `: ${detail}`}`, {
    status,
    code,
    kind,
    requestId: response.headers.get('x-request-id'),
    fields: code === 'VALIDATION' && detail !== null ? fieldsOf(detail) : [],
    retryable: kind === 'unavailable' || kind === 'rate_limit' || code === 'REQUEST_IN_PROGRESS',
    retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
  })
}

/** Returns the error of a successful response with the wrong content. */
export function unexpected(message: string, status: number, requestId: string | null = null): PurserError {
  return new PurserError(message, { status, code: 'UNKNOWN', kind: 'server', requestId, retryable: false })
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function messageOf(value: unknown): string | null {
  const message: unknown = Object(value).message
  return typeof message === 'string' ? message : null
}

const parts: Readonly<Record<string, InvalidField['in']>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'headers',
}

/** Reads a sentence such as "body/amount must match pattern …". */
function fieldsOf(text: string): InvalidField[] {
  const [, part = '', place, message = ''] = /^(body|querystring|params|headers)(?:\/(\S+))? (.+)$/s.exec(text) ?? []
  const where = parts[part]
  if (where === undefined) return []
  const missing = /required property '(.+)'/.exec(message)?.[1]
  const path = [place, missing].filter((each) => each !== undefined).join('/')
  return [{ in: where, path, message }]
}

/** Reads `Retry-After`: seconds or a date. */
function secondsOf(text: string | null): number | null {
  if (text === null) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
