import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Anvil } from './anvil.ts'

/** What stands between the service and a chain: passes requests on, or plays a node that is ill. */
export type Illness = (response: ServerResponse, id: number) => void

export async function startChainProxy(anvil: Anvil) {
  let illness: Illness | null = null
  let requests = 0
  const server = createServer(async (request, response) => {
    requests += 1
    let body = ''
    for await (const chunk of request) body += chunk
    if (illness) return illness(response, JSON.parse(body).id)
    const answer = await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** since it last changed how it is */
    requests: () => requests,
    fallIll(next: Illness | null) {
      illness = next
      requests = 0
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The node answers so. */
export const json =
  (result: unknown): Illness =>
  (response, id) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))

/** The node refuses so. */
export const failure =
  (code: number, message: string): Illness =>
  (response, id) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
