import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A fault of the network that hits one request. */
export type NetworkFault =
  /** The connection ends before the request is forwarded. */
  | 'before'
  /** The connection ends in the middle of the request's body, on both sides of the proxy. */
  | 'inside'
  /** The connection ends, and the request reaches the service only after its retry has succeeded. */
  | 'late'
  /** The request, the response and the second half of the response arrive with a delay. */
  | 'slow'
  /** The service processes the request, and the connection ends before its response. */
  | 'after'
  /** The connection ends in the middle of the response. */
  | 'during'
  /** The connection stays open, and the request reaches the service only after its retry has succeeded. */
  | 'stall before'
  /** The same, but the first half of the request reaches the service at once. */
  | 'stall inside'
  /** The service processes the request, and the response never arrives. */
  | 'stall after'
  /** The first half of the response arrives, and the second one never does. */
  | 'stall during'
  /** The service receives the request twice at the same time. */
  | 'twice'
  /** The service receives the request once more after it has responded. */
  | 'again'
  /** A proxy responds in place of the service. */
  | 408
  | 429
  | 502
  | 503
  | 504

export type FaultProxy = {
  readonly url: string
  /** The faults of the next requests to a path, in order. Later requests pass. */
  plan(path: string, ...faults: readonly NetworkFault[]): void
  /** Returns the `Idempotency-Key` of each request to a path so far, and forgets them. */
  takeKeys(path: string): (string | undefined)[]
  close(): Promise<void>
}

const slowMilliseconds = 30

type Forwarded = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: Buffer }

/** Starts an HTTP proxy that injects network faults in front of a service. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const plans = new Map<string, NetworkFault[]>()
  const keys = new Map<string, (string | undefined)[]>()
  const late = new Map<string, () => Promise<unknown>>()

  function forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Forwarded> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${target}${url}`, { method, headers }, async (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await bytesOf(response) })
      })
      outgoing.on('error', reject).end(body)
    })
  }

  /** Sends the first half of a request to the service. */
  function forwardHalf({ method, url, headers }: IncomingMessage, body: Buffer) {
    const outgoing = request(`${target}${url}`, { method, headers }).on('error', () => {})
    const closed = new Promise((resolve) => outgoing.on('close', resolve))
    // Without a listener, the end of an unread response would never come.
    outgoing.on('response', (response) => response.resume())
    const [first, second] = halvesOf(body)
    const sent = new Promise<void>((resolve) => outgoing.write(first, () => resolve()))
    return {
      async drop(): Promise<unknown> {
        await sent
        outgoing.destroy()
        return closed
      },
      complete(): Promise<unknown> {
        outgoing.end(second)
        return closed
      },
    }
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', target).pathname
    const body = await bytesOf(incoming)
    const key = incoming.headers['idempotency-key']
    keys.set(path, [...(keys.get(path) ?? []), typeof key === 'string' ? key : undefined])
    const fault = plans.get(path)?.shift()
    if (fault === 'before') return void incoming.socket.destroy()
    if (fault === 'inside') {
      await forwardHalf(incoming, body).drop()
      return void incoming.socket.destroy()
    }
    if (fault === 'late') {
      late.set(path, () => forward(incoming, body))
      return void incoming.socket.destroy()
    }
    if (fault === 'stall before') return void late.set(path, () => forward(incoming, body))
    if (fault === 'stall inside') return void late.set(path, forwardHalf(incoming, body).complete)
    if (typeof fault === 'number') return void outgoing.writeHead(fault, { 'retry-after': '0' }).end()
    if (fault === 'slow') await setTimeout(slowMilliseconds)
    const copies = await Promise.all([forward(incoming, body), ...(fault === 'twice' ? [forward(incoming, body)] : [])])
    const response = copies[0]
    if (fault === 'again') await forward(incoming, body)
    const original = late.get(path)
    late.delete(path)
    await original?.()
    if (fault === 'after' || response === undefined) return void incoming.socket.destroy()
    if (fault === 'stall after') return
    if (fault === 'slow') await setTimeout(slowMilliseconds)
    outgoing.writeHead(response.status, response.headers)
    const [first, second] = halvesOf(response.body)
    if (fault === 'during') {
      outgoing.write(first, () => incoming.socket.destroy())
    } else if (fault === 'stall during') {
      outgoing.write(first)
    } else if (fault === 'slow') {
      outgoing.write(first)
      await setTimeout(slowMilliseconds)
      outgoing.end(second)
    } else {
      outgoing.end(response.body)
    }
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    plan(path, ...faults) {
      plans.set(path, [...faults])
    },
    takeKeys(path) {
      const seen = keys.get(path) ?? []
      keys.delete(path)
      return seen
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function halvesOf(body: Buffer): [first: Buffer, second: Buffer] {
  return [body.subarray(0, body.length / 2), body.subarray(body.length / 2)]
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}
