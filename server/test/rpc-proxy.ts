import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type ProxiedRequest = { readonly id: number; readonly method: string; readonly params: any[] }

/** What the node says instead, given the true answer's result; `undefined` lets the truth pass. */
type Lie = (request: ProxiedRequest, result: any) => { result: unknown } | { error: object } | 'garbage' | undefined

export type RpcProxy = {
  readonly url: string
  readonly asked: ProxiedRequest[]
  /** From here on the node lies so. */
  lie(by: Lie): void
  tellTruth(): void
  stop(): Promise<void>
}

/** A node that shows what another one shows, but for the lies that a test tells it to tell. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const truth: Lie = () => undefined
  const asked: ProxiedRequest[] = []
  let lie = truth
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const ask: ProxiedRequest = JSON.parse(body)
    asked.push(ask)
    const headers = { 'content-type': 'application/json' }
    const answer: any = await (await fetch(target, { method: 'POST', headers, body })).json()
    const told = lie(ask, answer.result)
    const text = told === undefined ? answer : { jsonrpc: '2.0', id: ask.id, ...(told === 'garbage' ? {} : told) }
    response.writeHead(200, headers).end(told === 'garbage' ? '<html>busy</html>' : JSON.stringify(text))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    lie: (by) => {
      lie = by
    },
    tellTruth: () => {
      lie = truth
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
