import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InvalidInput, Refusal, type RefusalCode, refusals, UpstreamError } from '../../lib/errors.ts'
import { isConnectionFailure } from '../db/db.ts'
import { shortageOf } from '../db/shortage.ts'
import type { Access } from './access.ts'
import { jsonType } from './json.ts'
import { messageErrors, plainErrors } from './schemas.ts'

/**
 * The shape of a route's errors, as in the section "Errors" of the interface. Each route declares it beside its access.
 * `plain`, the default: a code. `sign-in`: a 401 adds a message. `statement`: a 400 names its kind.
 * `kyc-iban`: `{message}` below 500, `{error}` from 500 on, and no code.
 */
export type ErrorShape = 'plain' | 'sign-in' | 'statement' | 'kyc-iban'

type Renderer = (status: number, code: string, message: string) => object

/** The codes whose responses include the message, because it contains a configured value. */
const explainedCodes: ReadonlySet<string> = new Set<RefusalCode>(['WITHDRAWAL_TOO_SMALL'])

const renderPlain: Renderer = (_status, code, message) => {
  if (code === 'VALIDATION') return { kind: 'validation', success: false, error: { name: 'ValidationError', message } }
  return { success: false, error: code, ...(explainedCodes.has(code) ? { message } : {}) }
}

const renderers: Readonly<Record<ErrorShape, Renderer>> = {
  plain: renderPlain,
  'sign-in': (status, code, message) =>
    status === 401 ? { success: false, error: code, message } : renderPlain(status, code, message),
  statement: (status, code, message) =>
    status === 400 && code !== 'VALIDATION'
      ? { kind: 'business', success: false, error: code }
      : renderPlain(status, code, message),
  'kyc-iban': (status, _code, message) => {
    if (status < 500) return { message }
    return { error: status === 500 ? 'Internal server error' : message }
  },
}

export function errorBody(shape: ErrorShape, status: number, code: string, message: string): object {
  return renderers[shape](status, code, message)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    errors?: ErrorShape
  }
  interface FastifyRequest {
    /** The code with which the request was rejected; null if it was not. */
    refusal: RefusalCode | null
  }
  interface FastifyInstance {
    /** The error shapes of unknown paths, by prefix. */
    errorPrefixes: Map<string, ErrorShape>
  }
}

/** Declares the error shape of all paths below a prefix that match no route. */
export function declareErrorPrefix(app: FastifyInstance, prefix: string, shape: ErrorShape): void {
  app.errorPrefixes.set(prefix, shape)
}

export function errorShapeOf(request: FastifyRequest): ErrorShape {
  const { url, config } = request.routeOptions
  if (url !== undefined) return config.errors ?? 'plain'
  for (const [prefix, shape] of request.server.errorPrefixes) if (request.url.startsWith(prefix)) return shape
  return 'plain'
}

/** Returns the builder that declares a route's errors in the OpenAPI document. */
export function declaredErrors(shape: ErrorShape = 'plain') {
  return shape === 'kyc-iban' ? messageErrors : plainErrors
}

/** Renders every error of the app as a response. */
export function renderErrors(app: FastifyInstance): void {
  app.decorate('errorPrefixes', new Map())
  app.decorateRequest('refusal', null)
  app.setErrorHandler(handleError)
}

/** Carries the code of every error, because some bodies have none. */
export const codeHeader = 'x-error-code'

/** Returns the code of a rendered refusal; null: none is known. */
export function codeOfBody(text: string): string | null {
  const { error, message }: { error?: unknown; message?: unknown } = JSON.parse(text)
  if (typeof error === 'string') return error
  return Object.entries(refusals).find(([, [, sentence]]) => sentence === message)?.[0] ?? null
}

/** The challenge of a 401 (RFC 9110, section 11.6.1). Signed bodies have no standard scheme. */
const challenges: Readonly<Partial<Record<Access, string>>> = {
  wallet: 'Bearer',
  user: 'Bearer',
  partner: 'Bearer',
  operator: 'Bearer',
  sandbox: 'Basic realm="sandbox"',
}

/**
 * Returns the challenge of a 401. For `Basic`, browsers open a dialog, and a script's request waits until a person
 * closes it. A 401 needs a challenge, so scripts get a scheme that browsers do not know.
 */
function challengeOf({ routeOptions, headers }: FastifyRequest): string | undefined {
  const { access } = routeOptions.config
  const challenge = access && challenges[access]
  const mode = headers['sec-fetch-mode']
  const isScript = headers['x-requested-with'] !== undefined || (mode !== undefined && mode !== 'navigate')
  return isScript ? challenge?.replace(/^Basic /, 'X-Basic ') : challenge
}

function sendError(request: FastifyRequest, reply: FastifyReply, status: number, code: string, message: string) {
  const challenge = challengeOf(request)
  if (status === 401 && challenge !== undefined) reply.header('www-authenticate', challenge)
  // The route may have allowed caches to store its successful response.
  reply.header('cache-control', 'no-store')
  // Bypasses the route's response schema, which would drop fields of an error.
  return reply
    .code(status)
    .header('content-type', jsonType)
    .header(codeHeader, code)
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorBody(errorShapeOf(request), status, code, message))
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, code: RefusalCode) {
  request.refusal = code
  const { status, message } = refusalResponse(code)
  return sendError(request, reply, status, code, message)
}

/** Our codes for the errors with which Fastify rejects a request before the handler runs. */
const frameworkRefusals: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
}

type ErrorResponse = { readonly status: number; readonly code: string; readonly message: string }

function refusalResponse(code: RefusalCode): ErrorResponse {
  const [status, message] = refusals[code]
  return { status, code, message }
}

/** Maps an error to a response. Logs it with its cause, unless it is the caller's mistake or a shortage. */
export function toErrorResponse(error: FastifyError, request: FastifyRequest): ErrorResponse {
  if (error instanceof Refusal) {
    request.refusal = error.code
    return { ...refusalResponse(error.code), message: error.message }
  }
  if (error instanceof InvalidInput || error.validation) {
    return { status: 400, code: 'VALIDATION', message: error.message }
  }
  const framework = frameworkRefusals[error.code]
  if (framework) return refusalResponse(framework)
  // The shortage is already logged once a minute, so it is not logged per request.
  if (shortageOf(error) !== null) return refusalResponse('SERVICE_UNAVAILABLE')
  if (isAborted(error, request)) {
    request.log.info({ reqId: request.id }, 'request aborted by the client')
    return refusalResponse('BAD_REQUEST')
  }
  if (error instanceof UpstreamError || isConnectionFailure(error)) {
    request.log.error({ reqId: request.id, err: error }, 'upstream request failed')
    const message = 'A service that this one depends on failed. Send the same request again.'
    return { status: 502, code: 'UPSTREAM_FAILURE', message }
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return refusalResponse('BAD_REQUEST')
  request.log.error({ reqId: request.id, err: error }, 'request failed unexpectedly')
  return { status: 500, code: 'INTERNAL_ERROR', message: 'Internal server error' }
}

/** Returns whether the client closed the connection before it had sent the whole body. Nobody reads the response. */
function isAborted({ code }: FastifyError, { raw }: FastifyRequest): boolean {
  return code === 'ECONNRESET' && raw.destroyed && !raw.complete
}

const shortageSeconds = 10

/** Sends the response to an error that was thrown. Scopes that serve pages, such as the card view, send a page. */
export function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof Refusal && error.retryAfterSeconds !== null) {
    reply.header('retry-after', String(error.retryAfterSeconds))
  }
  const { status, code, message } = toErrorResponse(error, request)
  if (status === 503) reply.header('retry-after', String(shortageSeconds))
  return sendError(request, reply, status, code, message)
}
