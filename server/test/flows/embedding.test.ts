import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { hasAnvil } from '../../src/providers/anvil/process.ts'
import { run, runStops } from '../../src/run.ts'
import { databaseUrl } from '../support/database-url.ts'
import { startEmbedded } from '../support/embedded.ts'
import { ofCluster } from '../support/process-env.ts'
import { createTestDatabase, startService } from '../support/service.ts'

const signals = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection', 'exit'] as const
const handlers = () => signals.map((name) => process.listenerCount(name))

test('two services run in one process, each with its own data, and stop without ending the process', async () => {
  const before = handlers()
  const [one, other] = await Promise.all([startEmbedded(), startEmbedded()])
  expect(handlers()).toEqual(before)
  await one.client.advance(86_400)
  const clocks = await Promise.all([one, other].map(({ client }) => client.sandbox('GET', '/clock')))
  const [ahead = 0, now = 0] = clocks.map(({ body }) => Date.parse(body.now))
  expect(ahead - now).toBeGreaterThan(86_000_000)

  await one.stop()
  await expect(one.client.request('GET', '/health')).rejects.toThrow()
  expect((await other.client.request('GET', '/health')).status).toBe(200)
  await other.stop()
})

test('a process without a worker follows the sandbox clock that another process advances', async () => {
  const connection = await createTestDatabase()
  const other = await startService({ connection, worker: false })
  const api = await startEmbedded({ DATABASE_URL: databaseUrl(connection), ROLES: 'api' })
  try {
    const now = async () => Date.parse((await api.client.sandbox('GET', '/clock')).body.now)
    const before = await now()
    await other.advance(86_400)
    await expect.poll(async () => (await now()) - before).toBeGreaterThan(86_000_000)
  } finally {
    await api.stop()
    await other.stop()
  }
})

test('a first start that cannot store its secret stores no programme and begins no log either', async () => {
  const connection = await createTestDatabase()
  const client = new pg.Client(connection)
  await client.connect()
  const config = readConfig({
    DATABASE_URL: databaseUrl(connection),
    CHAIN: 'simulated',
    LOG_LEVEL: 'silent',
    PORT: '0',
    ...ofCluster,
  })
  await client.query(`create function reject() returns trigger language plpgsql as $$ begin raise 'rejected'; end $$;
    create trigger reject before insert on secret_in_use execute function reject()`)
  await expect(run(config, new AbortController().signal)).rejects.toThrow('rejected')
  const { rows } = await client.query('select mode from programme union all select log from sealed_log')
  await client.end()
  expect(rows).toEqual([])
})

test.skipIf(!hasAnvil())('a start whose migration fails leaves no chain of the sandbox running', async () => {
  const connection = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'purser-start-'))
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`delete from applied_migration where name like '0001-%'`)
  await client.end()
  const config = readConfig({
    ...{ DATABASE_URL: databaseUrl(connection), DATA_DIR: dataDir },
    ...{ CHAIN: 'anvil', LOG_LEVEL: 'silent', PORT: '0' },
  })
  const left = () => processesOf(dataDir)
  try {
    await expect(run(config, new AbortController().signal)).rejects.toThrow('migration 0001-')
    expect(await left()).toEqual([])
  } finally {
    for (const pid of await left()) process.kill(pid, 'SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('a part of the service that fails to stop does not keep the others from stopping', async () => {
  const stopped: string[] = []
  const failures = await runStops([
    async () => stopped.push('PostgreSQL'),
    async () => {
      throw new Error('the chain does not stop')
    },
    async () => stopped.push('the API'),
  ])
  expect(stopped).toEqual(['the API', 'PostgreSQL'])
  expect(failures).toMatchObject([{ message: 'the chain does not stop' }])
})

/** Returns the processes whose command line names the folder. */
async function processesOf(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name))
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return pids.filter((_pid, i) => commands[i]?.includes(folder)).map(Number)
}

test('a service whose signal is already aborted stops without an error', async () => {
  const config = readConfig({
    DATABASE_URL: databaseUrl(await createTestDatabase()),
    LOG_LEVEL: 'silent',
  })
  await expect(run(config, AbortSignal.abort())).resolves.toBeUndefined()
})
