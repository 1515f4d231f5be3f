import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands between the service and a node, and can cut the line at any moment of any request. */
export type RpcProxy = {
  readonly url: string
  /** Asked before a request reaches the node, and before its answer reaches the service: true cuts the line there. */
  cutWhen(isCut: (method: string, moment: 'asked' | 'answered', answer: unknown) => boolean): void
  stop(): Promise<void>
}

export async function startRpcProxy(nodeUrl: string): Promise<RpcProxy> {
  let isCut: Parameters<RpcProxy['cutWhen']>[0] = () => false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const { method } = JSON.parse(body)
    if (isCut(method, 'asked', undefined)) return response.destroy()
    const answer = await fetch(nodeUrl, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const text = await answer.text()
    if (isCut(method, 'answered', JSON.parse(text).result)) return response.destroy()
    return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    cutWhen: (next) => {
      isCut = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
