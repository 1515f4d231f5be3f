import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type ReceivedRequest = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** A response of a node: a result, an error, raw text with a status and headers, a gzip body, or none at all. */
export type NodeResponse =
  | { readonly result: unknown }
  | { readonly error: unknown; readonly status?: number }
  | { readonly text: string; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly packed: Buffer }
  | 'hang'

export type RpcNode = {
  readonly url: string
  /** methods of the received requests, in order */
  readonly received: string[]
  /** Sets the response to all further requests except `eth_chainId`. */
  respondWith(by: (request: ReceivedRequest) => NodeResponse): void
  stop(): Promise<void>
}

/** Starts a local JSON-RPC node whose responses a test sets. It is on chain 1 by default. */
export async function startRpcNode(chainId = 1): Promise<RpcNode> {
  const received: string[] = []
  let by: (request: ReceivedRequest) => NodeResponse = () => ({ result: null })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const call: ReceivedRequest = JSON.parse(Buffer.concat(chunks).toString())
    if (call.method !== 'eth_chainId') received.push(call.method)
    const reply = call.method === 'eth_chainId' ? { result: `0x${chainId.toString(16)}` } : by(call)
    if (reply === 'hang') return undefined
    if ('packed' in reply) return response.writeHead(200, { 'content-encoding': 'gzip' }).end(reply.packed)
    const headers = 'headers' in reply ? (reply.headers ?? {}) : {}
    const text =
      'text' in reply ? reply.text : JSON.stringify({ jsonrpc: '2.0', id: call.id, ...reply, status: undefined })
    return response.writeHead('status' in reply ? (reply.status ?? 200) : 200, headers).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    respondWith: (next) => {
      by = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
