import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type ProxiedRequest = { readonly id: number; readonly method: string; readonly params: any[] }

/** A false response, given the true result. `undefined` forwards the true response. */
type FalseResponse = { result: unknown } | { error: object } | 'garbage' | undefined
type Lie = (request: ProxiedRequest, result: any) => FalseResponse | Promise<FalseResponse>

type Cut = (method: string, moment: 'asked' | 'answered', answer: unknown) => boolean

export type RpcProxy = {
  readonly url: string
  readonly asked: ProxiedRequest[]
  /** Replaces responses by false ones. */
  lie(by: Lie): void
  tellTruth(): void
  /** Responds to these methods without forwarding them to the node. */
  intercept(answers: Readonly<Record<string, (request: ProxiedRequest) => unknown>>): void
  /** Called before a request reaches the node and before its response reaches the service; true cuts the connection. */
  cutWhen(isCut: Cut): void
  stop(): Promise<void>
}

/** Starts a proxy between the service and a node that lies or cuts connections as a test demands. */
export async function startRpcProxy(nodeUrl: string): Promise<RpcProxy> {
  const truth: Lie = () => undefined
  const asked: ProxiedRequest[] = []
  let lie = truth
  let intercepted: Readonly<Record<string, (request: ProxiedRequest) => unknown>> = {}
  let isCut: Cut = () => false
  const headers = { 'content-type': 'application/json' }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const ask: ProxiedRequest = JSON.parse(body)
    asked.push(ask)
    if (isCut(ask.method, 'asked', undefined)) return response.destroy()
    const alone = intercepted[ask.method]
    if (alone) {
      const text = JSON.stringify({ jsonrpc: '2.0', id: ask.id, result: alone(ask) })
      return response.writeHead(200, headers).end(text)
    }
    const answer: any = await (await fetch(nodeUrl, { method: 'POST', headers, body })).json()
    if (isCut(ask.method, 'answered', answer.result)) return response.destroy()
    const falsified = await lie(ask, answer.result)
    const text =
      falsified === undefined ? answer : { jsonrpc: '2.0', id: ask.id, ...(falsified === 'garbage' ? {} : falsified) }
    return response.writeHead(200, headers).end(falsified === 'garbage' ? '<html>busy</html>' : JSON.stringify(text))
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
      intercepted = {}
    },
    intercept: (answers) => {
      intercepted = answers
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
