import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type ProxiedRequest = { readonly id: number; readonly method: string; readonly params: any[] }

/** A false response, given the true result. `undefined` forwards the true response. */
type FalseResponse = { result: unknown } | { error: object } | 'garbage' | undefined
type Lie = (request: ProxiedRequest, result: any) => FalseResponse | Promise<FalseResponse>

type Cut = (method: string, moment: 'asked' | 'answered', answer: unknown) => boolean

/** A failure of a node: it handles the response to a request in place of the chain. */
export type NodeFailure = (response: ServerResponse, id: number) => void

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
  /** Handles every request in place of the chain, until it is null. Restarts the count of requests. */
  failWith(next: NodeFailure | null): void
  /** Returns the number of requests since the last call of `failWith`. */
  requests(): number
  stop(): Promise<void>
}

/** Starts a proxy between the service and a node that lies or cuts connections as a test demands. */
export async function startRpcProxy(nodeUrl: string): Promise<RpcProxy> {
  const truth: Lie = () => undefined
  const asked: ProxiedRequest[] = []
  let lie = truth
  let intercepted: Readonly<Record<string, (request: ProxiedRequest) => unknown>> = {}
  let isCut: Cut = () => false
  let failureMode: NodeFailure | null = null
  let counted = 0
  const headers = { 'content-type': 'application/json' }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const ask: ProxiedRequest = JSON.parse(body)
    asked.push(ask)
    if (failureMode) return failureMode(response, ask.id)
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
    failWith: (next) => {
      failureMode = next
      counted = asked.length
    },
    requests: () => asked.length - counted,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
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
