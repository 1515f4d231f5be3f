import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'

/** Starts a server until the end of the test, and returns the URL of its hook. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

/** Runs a handler of web requests in a server of Node.js. */
export function webListener(handle: (request: Request) => Promise<Response>): RequestListener {
  return async (incoming, outgoing) => {
    const headers = new Headers()
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
    const init: object = { method: 'POST', body: Readable.toWeb(incoming), headers, duplex: 'half' }
    outgoing.writeHead((await handle(new Request('http://localhost/hook', init))).status).end()
  }
}
