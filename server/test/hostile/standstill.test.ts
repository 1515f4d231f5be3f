import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { startService, type TestService } from '../support/service.ts'

/** An answer is held in memory for whoever asked, for as long as they take to read it: somebody who never does is cut off. */
const standstillMilliseconds = 1000
const answers = 40

let service: TestService
let app: FastifyInstance
let port: number

beforeAll(async () => {
  service = await startService({ worker: false })
  app = await buildApp(service.ctx, service.jobs)
  expect(app.server.timeout).toBe(60_000)
  // The server reads it for each new connection: the same happens as after a minute, and nobody waits for that.
  app.server.timeout = standstillMilliseconds
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(async () => {
  await app.close()
  await service.stop()
})

/** Asks for more than the sockets between us hold, and has read none of it yet. */
async function askForMuch(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(answers))
  return socket
}

const open = () =>
  new Promise<number>((resolve) => {
    app.server.getConnections((_error, count) => resolve(count))
  })

test('whoever reads nothing of what they asked for is cut off', async () => {
  const socket = await askForMuch()
  await expect.poll(open).toBe(1)
  await expect.poll(open).toBe(0)
  socket.destroy()
})

test('whoever reads slowly gets all of it, though it takes longer than that', async () => {
  const { text } = await service.request('GET', '/openapi.json')
  const wanted = answers * Buffer.byteLength(text)
  const since = performance.now()
  const socket = await askForMuch()
  let read = 0
  for await (const chunk of socket) {
    read += chunk.length
    await delay(8)
    if (read > wanted) break
  }
  expect(read).toBeGreaterThan(wanted)
  expect(performance.now() - since).toBeGreaterThan(2 * standstillMilliseconds)
})
