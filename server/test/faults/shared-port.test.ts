import { afterAll, expect, test } from 'vitest'
import { type Process, startProcess } from '../proof/processes.ts'
import { freePort } from '../support/free-port.ts'
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
  const first = await startProcess(connection, { ...env, PROGRAMME_NAME: 'First' })
  started.push(first)
  const second = await startProcess(connection, { ...env, PROGRAMME_NAME: 'Second' })
  started.push(second)

  /** Returns the names of the processes that respond. The kernel picks one per connection. */
  const responders = async () => {
    const names = new Set<string>()
    for (let i = 0; i < 40; i++) {
      const answer = await fetch(`${first.url}/programme`, { headers: { connection: 'close' } })
      const { name } = (await answer.json()) as { name: string }
      names.add(name)
    }
    return names
  }
  expect(await responders()).toEqual(new Set(['First', 'Second']))

  await first.kill('SIGTERM')
  expect(await responders()).toEqual(new Set(['Second']))
  const answer = await fetch(`${second.url}/user/balances/v2`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  await tester.stop()
})
