import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type ProxiedRequest = { readonly id: number; readonly method: string; readonly params: any[] }

/** What the node says instead, given the true answer's result; `undefined` lets the truth pass. */
type Told = { result: unknown } | { error: object } | 'garbage' | undefined
type Lie = (request: ProxiedRequest, result: any) => Told | Promise<Told>

type Cut = (method: string, moment: 'asked' | 'answered', answer: unknown) => boolean

export type RpcProxy = {
  readonly url: string
  readonly asked: ProxiedRequest[]
  /** From here on the node lies so. */
  lie(by: Lie): void
  tellTruth(): void
  /** From here on the node answers these methods so by itself: what it is told goes no further. */
  swallow(answers: Readonly<Record<string, (request: ProxiedRequest) => unknown>>): void
  /** Asked before a request reaches the node, and before its answer reaches the service: true cuts the line there. */
  cutWhen(isCut: Cut): void
  stop(): Promise<void>
}

/** Stands between the service and a node: shows what that one shows, but for the lies and the cuts that a test tells it to make. */
export async function startRpcProxy(nodeUrl: string): Promise<RpcProxy> {
  const truth: Lie = () => undefined
  const asked: ProxiedRequest[] = []
  let lie = truth
  let swallowed: Readonly<Record<string, (request: ProxiedRequest) => unknown>> = {}
  let isCut: Cut = () => false
  const headers = { 'content-type': 'application/json' }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const ask: ProxiedRequest = JSON.parse(body)
    asked.push(ask)
    if (isCut(ask.method, 'asked', undefined)) return response.destroy()
    const alone = swallowed[ask.method]
    if (alone) {
      const text = JSON.stringify({ jsonrpc: '2.0', id: ask.id, result: alone(ask) })
      return response.writeHead(200, headers).end(text)
    }
    const answer: any = await (await fetch(nodeUrl, { method: 'POST', headers, body })).json()
    if (isCut(ask.method, 'answered', answer.result)) return response.destroy()
    const told = await lie(ask, answer.result)
    const text = told === undefined ? answer : { jsonrpc: '2.0', id: ask.id, ...(told === 'garbage' ? {} : told) }
    return response.writeHead(200, headers).end(told === 'garbage' ? '<html>busy</html>' : JSON.stringify(text))
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
      swallowed = {}
    },
    swallow: (answers) => {
      swallowed = answers
    },
    cutWhen: (next) => {
      isCut = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
