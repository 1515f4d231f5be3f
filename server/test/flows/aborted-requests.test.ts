import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../src/platform/observability/log.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let logged = ''
beforeAll(async () => {
  const write = (line: string) => {
    logged += line
  }
  service = await startService({ alter: (ctx) => ({ ...ctx, log: createLog('info', { write }) }) })
})
afterAll(() => service.stop())

test('an upload that the client cuts off is logged as an aborted request, not as a failure', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const head = 'POST /api/v1/auth/challenge HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  socket.write(`${head}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n{"message":`)
  // Node.js asks for the rest of the body when it passes the request to the service.
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  await expect.poll(() => logged).toContain('request aborted by the client')
  const lines = logged.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level > 30)).toEqual([])
})
