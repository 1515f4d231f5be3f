import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type ProxiedRequest = { readonly id: number; readonly method: string; readonly params: any[] }

/** A false response, given the true result. `undefined` forwards the true response. */
type FalseResponse = { result: unknown } | { error: object } | 'garbage' | undefined
export type Lie = (request: ProxiedRequest, result: any) => FalseResponse | Promise<FalseResponse>

type Cut = (method: string, moment: 'request' | 'response', result: unknown) => boolean

/** A failure of a node: it handles the response to a request in place of the chain. */
export type NodeFailure = (response: ServerResponse, id: number) => void

export type RpcProxy = {
  readonly url: string
  readonly received: ProxiedRequest[]
  /** Replaces true responses with false ones. */
  lie(by: Lie): void
  /** Forwards all true responses again. */
  forwardAll(): void
  /** Responds to these methods without forwarding them to the node. */
  intercept(handlers: Readonly<Record<string, (request: ProxiedRequest) => unknown>>): void
  /** Called before a request reaches the node and before its response reaches the service; true cuts the connection. */
  cutWhen(isCut: Cut): void
  /** Handles every request in place of the chain, until it is null. Restarts the count of requests. */
  failWith(next: NodeFailure | null): void
  /** Returns the number of requests since the last call of `failWith`. */
  requests(): number
  stop(): Promise<void>
}

/** Starts a proxy between the service and a node. The proxy lies or cuts connections as a test demands. */
export async function startRpcProxy(nodeUrl: string): Promise<RpcProxy> {
  const truth: Lie = () => undefined
  const received: ProxiedRequest[] = []
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
    const call: ProxiedRequest = JSON.parse(body)
    received.push(call)
    if (failureMode) return failureMode(response, call.id)
    if (isCut(call.method, 'request', undefined)) return response.destroy()
    const handler = intercepted[call.method]
    if (handler) {
      const text = JSON.stringify({ jsonrpc: '2.0', id: call.id, result: handler(call) })
      return response.writeHead(200, headers).end(text)
    }
    const reply: any = await (await fetch(nodeUrl, { method: 'POST', headers, body })).json()
    if (isCut(call.method, 'response', reply.result)) return response.destroy()
    const falsified = await lie(call, reply.result)
    const text =
      falsified === undefined ? reply : { jsonrpc: '2.0', id: call.id, ...(falsified === 'garbage' ? {} : falsified) }
    return response.writeHead(200, headers).end(falsified === 'garbage' ? '<html>busy</html>' : JSON.stringify(text))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    lie: (by) => {
      lie = by
    },
    forwardAll: () => {
      lie = truth
      intercepted = {}
    },
    intercept: (handlers) => {
      intercepted = handlers
    },
    cutWhen: (next) => {
      isCut = next
    },
    failWith: (next) => {
      failureMode = next
      counted = received.length
    },
    requests: () => received.length - counted,
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
