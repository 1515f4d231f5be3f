import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { InvalidInput, Refusal, type RefusalCode, refusals, UpstreamError } from '../../lib/errors.ts'
import { isConnectionFailure } from '../db/db.ts'
import type { Access } from './access.ts'
import { jsonType } from './json.ts'
import { messageErrors, plainErrors } from './schemas.ts'

/** The groups of identity verification and IBANs, whose errors have a shape of their own. */
function answersMessages(path: string): boolean {
  return path.startsWith('/api/v1/kyc/') || path.startsWith('/api/v1/ibans/')
}

/** How the errors of a path are declared in the document. */
export function declaredErrors(path: string) {
  return answersMessages(path) ? messageErrors : plainErrors
}

/**
 * The shapes of the interface's section "Errors", chosen by path: identity verification and IBAN speak
 * `{message}` and `{error}`, the statement's 400 names its kind, a refused sign-in carries a message, all else is plain.
 */
export function errorBody(path: string, status: number, code: string, message: string): object {
  if (answersMessages(path)) {
    if (status < 500) return { message }
    return { error: status === 500 ? 'Internal server error' : message }
  }
  if (code === 'VALIDATION') {
    return { kind: 'validation', success: false, error: { name: 'ValidationError', message } }
  }
  if (path === '/user/statement' && status === 400) return { kind: 'business', success: false, error: code }
  if (path === '/api/v1/auth/challenge' && status === 401) return { success: false, error: code, message }
  return { success: false, error: code }
}

/** The route's own path, since a URL can spell it in many ways; of what no route takes, the URL's. */
export function pathOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? request.url.split('?', 1)[0] ?? ''
}

/** What a 401 asks for by its standard (RFC 9110, section 11.6.1); signed bodies have no scheme of a standard's. */
const authenticates: Readonly<Partial<Record<Access, string>>> = {
  wallet: 'Bearer',
  user: 'Bearer',
  partner: 'Bearer',
  sandbox: 'Basic realm="sandbox"',
}

function sendError(request: FastifyRequest, reply: FastifyReply, status: number, code: string, message: string) {
  const { access } = request.routeOptions.config
  const wanted = access && authenticates[access]
  if (status === 401 && wanted !== undefined) reply.header('www-authenticate', wanted)
  // A plain string: no response schema may bend the body of an error.
  return reply
    .code(status)
    .header('content-type', jsonType)
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorBody(pathOf(request), status, code, message))
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, code: RefusalCode) {
  const { status, message } = outcomeOf(code)
  return sendError(request, reply, status, code, message)
}

/** Fastify's own refusals of a request that no handler saw. */
const frameworkRefusals: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
}

type Outcome = { readonly status: number; readonly code: string; readonly message: string }

function outcomeOf(code: RefusalCode): Outcome {
  const [status, message] = refusals[code]
  return { status, code, message }
}

/** What an error is to the caller. What is not the caller's doing is logged with its cause. */
export function judgeError(error: FastifyError, request: FastifyRequest): Outcome {
  if (error instanceof Refusal) return outcomeOf(error.code)
  if (error instanceof InvalidInput || error.validation) {
    return { status: 400, code: 'VALIDATION', message: error.message }
  }
  const framework = frameworkRefusals[error.code]
  if (framework) return outcomeOf(framework)
  if (error instanceof UpstreamError || isConnectionFailure(error)) {
    request.log.error({ reqId: request.id, err: error }, 'upstream failure')
    const message = 'A service that this one depends on failed; try again.'
    return { status: 502, code: 'UPSTREAM_FAILURE', message }
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return outcomeOf('BAD_REQUEST')
  request.log.error({ reqId: request.id, err: error }, 'unexpected error')
  return { status: 500, code: 'INTERNAL_ERROR', message: 'Internal server error' }
}

/** The only place where an error becomes an answer, but for the frame of card numbers, which is a page. */
export function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof Refusal && error.retryAfterSeconds !== null) {
    reply.header('retry-after', String(error.retryAfterSeconds))
  }
  const { status, code, message } = judgeError(error, request)
  return sendError(request, reply, status, code, message)
}
