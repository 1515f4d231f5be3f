import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { Agent, request } from 'undici'
import { type UpstreamCode, UpstreamError } from '../../lib/errors.ts'
import { readText } from './read-text.ts'

/** One request to a provider's HTTP API. */
export type Call = {
  /** The port that sends it, as named in an `UpstreamError`. */
  readonly port: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Set this for a request that cannot be repeated. The default is three seconds. */
  readonly deadlineMilliseconds?: number
}

export type HttpResponse = { readonly status: number; readonly text: string }

const defaultDeadlineMilliseconds = 3_000
const maxResponseBytes = 64 * 1024

const dispatcher = new Agent({ allowH2: false, pipelining: 1, connect: { timeout: defaultDeadlineMilliseconds } })

/**
 * Returns the response with any status. Time and size are limited. Redirects are not followed, because they would
 * carry credentials to another host. A missing response is an `UpstreamError`.
 */
export async function call({
  port,
  method,
  url,
  headers = {},
  body,
  deadlineMilliseconds = defaultDeadlineMilliseconds,
}: Call): Promise<HttpResponse> {
  try {
    const response = await request(url, {
      dispatcher,
      method,
      headers: { 'user-agent': 'Purser/1', ...headers },
      body: body ?? null,
      signal: AbortSignal.timeout(deadlineMilliseconds),
    })
    const text = await readText(response.body, { maxBytes: maxResponseBytes, onExcess: 'fail' })
    return { status: response.statusCode, text }
  } catch (error) {
    throw new UpstreamError(port, 'unavailable', error)
  }
}

/** Returns the text of a successful response. Any other status is an `UpstreamError`. */
export function requireSuccess(port: string, { status, text }: HttpResponse): string {
  if (status >= 200 && status < 300) return text
  throw new UpstreamError(port, failureOf(status), new Error(`the response status was ${status}`))
}

/** The statuses below 500 of a request that may succeed later, unchanged. */
const temporary: ReadonlySet<number> = new Set([408, 409, 425, 429])

function failureOf(status: number): UpstreamCode {
  if (status === 401 || status === 403) return 'unauthorized'
  return status >= 400 && status < 500 && !temporary.has(status) ? 'rejected' : 'unavailable'
}

/** Parses a successful response by a schema. Fields outside the schema stay in the result, unchecked. */
export function readResponse<T extends TSchema>(port: string, schema: T, response: HttpResponse): Static<T> {
  return parseResponse(port, schema, requireSuccess(port, response))
}

/** Parses a response by a schema. Errors never quote the response, which can hold a card number. */
export function parseResponse<T extends TSchema>(port: string, schema: T, text: string): Static<T> {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    // The parser's own message quotes the text.
    throw new UpstreamError(port, 'invalid_response', new Error('the response is not JSON'))
  }
  if (!Check(schema, content)) {
    throw new UpstreamError(port, 'invalid_response', new Error('the response does not match its schema'))
  }
  return content
}
