import { getEventListeners, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createPurser, PurserTimeoutError } from '../../../client/src/index.ts'

/** Servers that never end their response, and the point at which they stop. */
const stalls: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'before its response': () => {},
  'in the middle of its response': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"status":')
  },
}

async function stalledServer(stall: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => stall(response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** Resolves when the client has closed its connection. */
  const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'))
  return { purser: createPurser({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 }), server, closed }
}

test.each(Object.entries(stalls))(
  'a timeout closes the connection to a service that stops %s',
  async (_point, stall) => {
    const { purser, closed } = await stalledServer(stall)
    await expect(purser.health.get({ timeoutMilliseconds: 100 })).rejects.toBeInstanceOf(PurserTimeoutError)
    await closed
  },
)

test.each(Object.entries(stalls))(
  'the signal of a caller closes the connection to a service that stops %s',
  async (_point, stall) => {
    const { purser, server, closed } = await stalledServer(stall)
    const controller = new AbortController()
    server.once('request', () => controller.abort(new Error('enough')))
    await expect(purser.health.get({ signal: controller.signal })).rejects.toThrow('enough')
    await closed
  },
)

test('an ended call leaves no listener on the signal of its caller', async () => {
  const { purser } = await stalledServer((response) => response.writeHead(503).end())
  const { signal } = new AbortController()
  await expect(purser.health.get({ signal, maxRetries: 1 })).rejects.toMatchObject({ status: 503 })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
