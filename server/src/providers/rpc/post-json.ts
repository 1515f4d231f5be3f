import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Agent, request } from 'undici'
import { readText } from '../../platform/net/read-text.ts'

type Post = { readonly body: string; readonly signal: AbortSignal; readonly maxBytes: number }
type Posted = { readonly status: number; readonly text: string; readonly retryAfter: string | undefined }

const dispatcher = new Agent({ allowH2: false, pipelining: 1, keepAliveTimeout: 4_000 })

/**
 * Posts JSON to a node and returns its response. Redirects are not followed. The limit applies to the decompressed
 * body.
 */
export async function postJson(url: URL, { body, signal, maxBytes }: Post): Promise<Posted> {
  const { statusCode, headers, ...response } = await request(url, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' },
    body,
    signal,
  })
  const isCompressed = headers['content-encoding'] === 'gzip'
  // A failure of the connection also ends the decompressed stream, so its reader sees the error.
  const content = isCompressed ? pipeline(response.body, createGunzip(), () => {}) : response.body
  const text = await readText(content, { maxBytes, onExcess: 'fail' })
  const retryAfter = headers['retry-after']
  return { status: statusCode, text, retryAfter: retryAfter === undefined ? undefined : String(retryAfter) }
}
