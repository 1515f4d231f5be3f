import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export type Received = { headers: IncomingHttpHeaders; body: string; event: any; at: number }
type Respond = (request: IncomingMessage, response: ServerResponse, received: Received) => void

/** A partner's server, which accepts every delivery by default. */
export type Receiver = {
  url: string
  received: Received[]
  /** Sets the response to further deliveries. */
  respondWith(how: Respond | number): void
  /** Waits for the given number of deliveries, and returns all received ones. */
  waitForDeliveries(count: number): Promise<Received[]>
  types(): string[]
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const status =
    (code: number): Respond =>
    (_request, response) =>
      response.writeHead(code).end()
  let respond = status(204)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const one = { headers: request.headers, body, event: JSON.parse(body), at: performance.now() }
    received.push(one)
    respond(request, response, one)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    respondWith(how) {
      respond = typeof how === 'number' ? status(how) : how
    },
    async waitForDeliveries(count) {
      await waitUntil(() => received.length >= count, `${count} deliveries (${received.length} before the wait)`)
      return received
    },
    types: () => received.map(({ event }) => event.type),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Waits until the condition holds. The description is used in the error after a timeout, which only ends a test that
 * hangs.
 */
export async function waitUntil(
  isDone: () => boolean | Promise<boolean>,
  description: string,
  milliseconds = 300_000,
): Promise<void> {
  const end = performance.now() + milliseconds
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${description}`)
    await delay(20)
  }
}

/**
 * Returns the number of signatures in the header that the key verifies. It is written from the specification of
 * Standard Webhooks and uses none of the service's code. `whpk_` keys verify `v1a`, `whsec_` keys verify `v1`.
 */
export function validSignatures({ headers, body }: Pick<Received, 'headers' | 'body'>, key: string): number {
  const timestamp = String(headers['webhook-timestamp'])
  if (!/^[0-9]+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return 0
  const content = Buffer.from(`${headers['webhook-id']}.${timestamp}.${body}`)
  const signatures = String(headers['webhook-signature']).split(' ')
  return signatures.filter((each) => {
    const [version, text = ''] = each.split(',')
    const signature = Buffer.from(text, 'base64')
    if (key.startsWith('whpk_')) return version === 'v1a' && verify(null, content, publicKey(key), signature)
    if (version !== 'v1') return false
    const expected = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
      .update(content)
      .digest()
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  }).length
}

/** Verifies the pair of headers that does not contain the message id. */
export function isPairValid({ headers, body }: Pick<Received, 'headers' | 'body'>, key: string): boolean {
  const content = Buffer.from(`${headers['x-webhook-timestamp']}.${body}`)
  return verify(null, content, publicKey(key), Buffer.from(String(headers['x-webhook-signature']), 'base64'))
}

function publicKey(key: string) {
  const x = Buffer.from(key.slice('whpk_'.length), 'base64').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
