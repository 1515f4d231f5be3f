import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Anvil } from './anvil.ts'

/** A failure of a node: it handles the response to a request in place of the chain. */
export type NodeFailure = (response: ServerResponse, id: number) => void

/** Starts a proxy that forwards requests to a chain, or fails as a test demands. */
export async function startChainProxy(anvil: Anvil) {
  let failureMode: NodeFailure | null = null
  let requests = 0
  const server = createServer(async (request, response) => {
    requests += 1
    let body = ''
    for await (const chunk of request) body += chunk
    if (failureMode) return failureMode(response, JSON.parse(body).id)
    const answer = await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns the number of requests since the last call of `failWith`. */
    requests: () => requests,
    failWith(next: NodeFailure | null) {
      failureMode = next
      requests = 0
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Makes the node respond with a result. */
export const json =
  (result: unknown): NodeFailure =>
  (response, id) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))

/** Makes the node respond with a JSON-RPC error. */
export const failure =
  (code: number, message: string): NodeFailure =>
  (response, id) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
