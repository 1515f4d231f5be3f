import { afterAll, expect, test } from 'vitest'
import { freePort, type Process, startProcess } from '../proof/processes.ts'
import { createTestDatabase, startService } from '../support/service.ts'

const started: Process[] = []
afterAll(async () => {
  for (const one of started) await one.kill()
})

test('processes that share a port all respond on it, and the port stays open when one of them stops', async () => {
  const connection = await createTestDatabase()
  const tester = await startService({ connection, worker: false })
  const { token } = await tester.newUser()
  const { tokenIssuer, tokenAudience } = tester.ctx.config
  const shared = { PORT: String(await freePort()), SHARED_PORT: 'on', ROLES: 'api' }
  const env = { ...shared, TOKEN_ISSUER: tokenIssuer, TOKEN_AUDIENCE: tokenAudience }
  // Start them in sequence: the second exits if the first does not share the port.
  const first = await startProcess(connection, env)
  started.push(first)
  const second = await startProcess(connection, env)
  started.push(second)

  /** Opens a connection per request, so the kernel picks the process. Start times identify the processes. */
  const startTimes = async () => {
    const times = new Set<string>()
    for (let i = 0; i < 40; i++) {
      const answer = await fetch(`${first.url}/metrics`, { headers: { connection: 'close' } })
      times.add(/^process_start_time_seconds (\S+)/m.exec(await answer.text())?.[1] ?? '')
    }
    return times
  }
  // The first may have answered the second's health check before the second listened.
  await expect.poll(async () => (await startTimes()).size, { timeout: 30_000 }).toBe(2)

  await first.kill('SIGTERM')
  expect((await startTimes()).size).toBe(1)
  const answer = await fetch(`${second.url}/user/balances/v2`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  await tester.stop()
})
