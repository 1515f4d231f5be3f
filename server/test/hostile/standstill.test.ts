import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { startService, type TestService } from '../support/service.ts'

/** The server buffers unread responses in memory, so it must disconnect clients that read nothing. */
const standstillMilliseconds = 1000
const responses = 40

let service: TestService
let app: FastifyInstance
let port: number

beforeAll(async () => {
  service = await startService({ worker: false })
  app = await buildApp(service.as('api'), service.jobs, service.as('operator').db)
  expect(app.server.timeout).toBe(60_000)
  // The server reads its timeout for each new connection. The tests shorten it from a minute to a second.
  app.server.timeout = standstillMilliseconds
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(async () => {
  await app.close()
  await service.stop()
})

/** Requests more data than the socket buffers hold, and reads none of it. */
async function requestMuch(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(responses))
  return socket
}

const open = () =>
  new Promise<number>((resolve) => {
    app.server.getConnections((_error, count) => resolve(count))
  })

test('a client that reads nothing of its responses is disconnected', async () => {
  const socket = await requestMuch()
  await expect.poll(open).toBe(1)
  await expect.poll(open).toBe(0)
  socket.destroy()
})

test('a client that reads slowly gets all of its responses, even if that takes longer than the timeout', async () => {
  const { text } = await service.request('GET', '/openapi.json')
  const expectedBytes = responses * Buffer.byteLength(text)
  const since = performance.now()
  const socket = await requestMuch()
  let read = 0
  for await (const chunk of socket) {
    read += chunk.length
    if (read > expectedBytes) break
    // Spread the reads over three timeouts, whatever the size of the chunks.
    const due = since + (3 * standstillMilliseconds * read) / expectedBytes
    await delay(Math.max(0, due - performance.now()))
  }
  expect(read).toBeGreaterThan(expectedBytes)
  expect(performance.now() - since).toBeGreaterThan(2 * standstillMilliseconds)
})
