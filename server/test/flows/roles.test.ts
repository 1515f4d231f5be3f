import { readdir, readFile, readlink } from 'node:fs/promises'
import { afterEach, expect, test } from 'vitest'
import { type Process, startProcess } from '../proof/processes.ts'
import { freePort } from '../support/free-port.ts'
import { createTestDatabase, httpClient } from '../support/service.ts'

/** Each test is slow because it starts a process. */
let running: Process | null = null
afterEach(async () => {
  await running?.kill('SIGTERM')
  running = null
})

async function start(env: Record<string, string>) {
  running = await startProcess(await createTestDatabase(), { CHAIN: 'simulated', ...env })
  return running
}

/** Returns the ports on which the process listens, read from the kernel as proc(5) describes. */
async function portsOf({ child: { pid } }: Process): Promise<number[]> {
  const fds = await readdir(`/proc/${pid}/fd`)
  const links = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8')))
  const sockets = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
  return sockets.flatMap(([, local = '', , state, , , , , , inode]) =>
    state === '0A' && links.includes(`socket:[${inode}]`) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [],
  )
}

test.each(['worker', 'watcher', 'worker,watcher'])('a process with the roles %s opens no port', async (ROLES) => {
  expect(await portsOf(await start({ ROLES }))).toEqual([])
})

test('a worker serves only health and metrics, on METRICS_PORT', async () => {
  const port = await freePort()
  const worker = await start({ ROLES: 'worker', METRICS_PORT: String(port) })
  expect(await portsOf(worker)).toEqual([port])
  const { request } = httpClient(`http://127.0.0.1:${port}`)
  expect((await request('GET', '/health')).body).toEqual({ status: 'ok' })
  expect((await request('GET', '/health/ready')).body).toEqual({ status: 'ok' })
  await expect
    .poll(async () => (await request('GET', '/metrics')).text)
    .toContain('purser_open_reviews{kind="deferred"} 0')
  const roles = [...(await request('GET', '/metrics')).text.matchAll(/^purser_role\{.*$/gm)].map(([line]) => line)
  expect(roles).toEqual(['purser_role{role="worker"} 1'])
  expect(await request('GET', '/user/statement')).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } })
})

test('an API process serves users on PORT, and health and metrics on METRICS_PORT as well', async () => {
  const port = await freePort()
  const api = await start({ ROLES: 'api', METRICS_PORT: String(port) })
  expect((await portsOf(api)).sort()).toEqual([Number(new URL(api.url).port), port].sort())
  const [everybodys, operators] = [httpClient(api.url), httpClient(`http://127.0.0.1:${port}`)]
  for (const { request } of [everybodys, operators]) {
    expect((await request('GET', '/health')).status).toBe(200)
    expect((await request('GET', '/metrics')).text).toContain('purser_http_request_seconds')
  }
  expect((await operators.request('GET', '/api/v1/auth/nonce')).status).toBe(404)
})
