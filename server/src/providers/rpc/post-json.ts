import http from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

type Question = { readonly body: string; readonly signal: AbortSignal; readonly largestBytes: number }
type Answer = { readonly status: number; readonly text: string; readonly retryAfter: string | undefined }

// Shorter than servers keep a connection that nobody uses, so that none is used just as it ends.
const kept = { keepAlive: true, timeout: 4_000 }
const agents = { http: new http.Agent(kept), https: new https.Agent(kept) }

/**
 * Asks a node by POST, over connections that are kept; redirects are not followed. Not `fetch`, whose streams cost as much
 * as parsing what they bring, and four times as much as this for a short question.
 */
export function postJson(url: URL, { body, signal, largestBytes }: Question): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'accept-encoding': 'gzip',
  }
  const [{ request }, agent] = url.protocol === 'https:' ? [https, agents.https] : [http, agents.http]
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent, signal }, (response) => {
      const isPacked = response.headers['content-encoding'] === 'gzip'
      // What goes wrong on the way ends the last stream, too, and whoever reads it is told.
      const content = isPacked ? pipeline(response, createGunzip(), () => {}) : response
      const { statusCode: status = 0, headers } = response
      readText(content, largestBytes).then(
        (text) => resolve({ status, text, retryAfter: headers['retry-after'] }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function readText(content: Readable, largestBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of content) {
    size += chunk.length
    if (size > largestBytes) throw new Error(`the answer is longer than ${largestBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
