import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { UpstreamError } from '../../lib/errors.ts'

/** One request to somebody else's HTTP API. */
export type Call = {
  /** which port speaks; it stands in the error */
  readonly port: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type HttpResponse = { readonly status: number; readonly text: string }

const deadlineMilliseconds = 3_000
const largestAnswer = 64 * 1024

/**
 * The answer, whatever its status, within bounds of time and size; redirects are not followed, since they would carry
 * what is secret elsewhere. No answer is an `UpstreamError`.
 */
export async function call({ port, method, url, headers = {}, body }: Call): Promise<HttpResponse> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMilliseconds),
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, text: await readText(response) }
  } catch (error) {
    throw new UpstreamError(port, 'unavailable', error)
  }
}

/** Never more than an answer can need, whoever is at the other end. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > largestAnswer) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Any answer but success is an `UpstreamError`: a refusal as well, since the request was ours. */
export function requireSuccess(port: string, { status, text }: HttpResponse): string {
  if (status >= 200 && status < 300) return text
  const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429
  throw new UpstreamError(port, isRejected ? 'rejected' : 'unavailable', new Error(`the response status was ${status}`))
}

/** What is in the answer besides the schema is for the caller to leave alone. */
export function readResponse<T extends TSchema>(port: string, schema: T, answer: HttpResponse): Static<T> {
  return parseResponse(port, schema, requireSuccess(port, answer))
}

/** No error quotes the answer, which can hold a card number. */
export function parseResponse<T extends TSchema>(port: string, schema: T, text: string): Static<T> {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    // The parser's own words quote the answer.
    throw new UpstreamError(port, 'invalid_response', new Error('the answer is not JSON'))
  }
  if (!Check(schema, content))
    throw new UpstreamError(port, 'invalid_response', new Error('the answer is not what the contract says'))
  return content
}
