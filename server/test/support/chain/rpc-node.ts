import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Asked = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** What a node does with a request: an answer, its raw text, a status, a redirection; or nothing at all, ever. */
export type Told =
  | { readonly result: unknown }
  | { readonly error: unknown; readonly status?: number }
  | { readonly text: string; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly packed: Buffer }
  | 'hang'

export type RpcNode = {
  readonly url: string
  /** methods asked, in their order */
  readonly asked: string[]
  /** From here on requests are answered so; `eth_chainId` too, if it is named. */
  answer(by: (asked: Asked) => Told): void
  stop(): Promise<void>
}

/** A JSON-RPC node on this machine that says what a test tells it to. On chain 1 unless told otherwise. */
export async function startRpcNode(chainId = 1): Promise<RpcNode> {
  const asked: string[] = []
  let by: (asked: Asked) => Told = () => ({ result: null })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const ask: Asked = JSON.parse(Buffer.concat(chunks).toString())
    if (ask.method !== 'eth_chainId') asked.push(ask.method)
    const told = ask.method === 'eth_chainId' ? { result: `0x${chainId.toString(16)}` } : by(ask)
    if (told === 'hang') return undefined
    if ('packed' in told) return response.writeHead(200, { 'content-encoding': 'gzip' }).end(told.packed)
    const headers = 'headers' in told ? (told.headers ?? {}) : {}
    const text = 'text' in told ? told.text : JSON.stringify({ jsonrpc: '2.0', id: ask.id, ...told, status: undefined })
    return response.writeHead('status' in told ? (told.status ?? 200) : 200, headers).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answer: (next) => {
      by = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
