import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type LocalRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type LocalResponse = { status: number; body: unknown; headers?: Record<string, string> }

/** Starts a local server that imitates a vendor's API. `respond` checks every request and returns the response. */
export async function startLocalServer(respond: (request: LocalRequest) => LocalResponse | Promise<LocalResponse>) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url: path = '', headers } = request
    const { status, body: content, headers: more } = await respond({ method, path, headers, body })
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
