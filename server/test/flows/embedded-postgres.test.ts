import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase } from '../../src/platform/db/migrate.ts'
import { embeddedConnection, startEmbeddedPostgres } from '../../src/sandbox/embedded-postgres.ts'
import { bundled } from '../support/bundle.ts'
import { processEnv } from '../support/process-env.ts'
import { httpClient, newWallet } from '../support/service.ts'

type Running = { child: ChildProcess; url: string; output: () => string; ended: Promise<number | null> }

/** Starts the real process, as `npm start` does, without waiting until it is ready. */
function start(dataDir: string, port: number, settings: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [bundled('main')], {
    env: {
      ...processEnv,
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      CHAIN: 'simulated',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'exit').then(([status]) => status)
  return { child, url: `http://127.0.0.1:${port}`, output: () => output, ended }
}

async function ready(running: Running): Promise<void> {
  for (const until = Date.now() + 120_000; Date.now() < until; ) {
    if (running.output().includes('Purser is ready')) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`not ready: ${running.output()}`)
}

let dataDir = ''
const port = 18_000 + (process.pid % 10_000)
const started: Running[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'purser-embedded-'))
})

afterAll(async () => {
  for (const { child, ended } of started) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
  }
  await rm(dataDir, { recursive: true, force: true })
})

test('one service at a time uses a data folder, and a killed one restarts with everything that it had acknowledged', async () => {
  const first = start(dataDir, port)
  started.push(first)
  await ready(first)
  expect(first.output()).toContain(`http://localhost:${port}/docs`)

  const client = httpClient(first.url)
  const wallet = newWallet()
  const user = await client.sandbox('POST', '/users', { address: wallet.address })
  expect(user.status).toBe(201)
  const token = await client.signIn(wallet)

  const connection = new pg.Client(embeddedConnection(dataDir))
  await connection.connect()
  const settings = await connection.query(
    "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses') order by name",
  )
  await connection.end()
  expect(Object.fromEntries(settings.rows.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '',
    synchronous_commit: 'on',
  })

  const second = start(dataDir, port + 1)
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain(`Another Purser uses ${dataDir}`)
  const stranger = start(dataDir, port + 1, {
    DATABASE_URL: `postgres:///none?user=purser&host=${join(dataDir, 'run')}`,
  })
  expect(await stranger.ended).toBe(1)
  expect(stranger.output()).toContain('PostgreSQL rejected the connection: database "none" does not exist.')

  first.child.kill('SIGKILL')
  await first.ended
  const again = start(dataDir, port)
  started.push(again)
  await ready(again)
  const known = await httpClient(again.url).request('GET', '/user', { token })
  expect(known.status).toBe(200)
  expect(known.body.userId).toBe(user.body.userId)

  again.child.kill('SIGTERM')
  // npm forwards the signal that the terminal has already sent.
  await delay(5)
  again.child.kill('SIGTERM')
  expect(await again.ended).toBe(0)
})

/** PostgreSQL does not run as root. A PATH without `unshare` makes Purser start PostgreSQL as another user. */
describe.skipIf(process.getuid?.() !== 0)('as root without user namespaces', () => {
  let [binaries, open] = ['', '']
  beforeAll(async () => {
    binaries = await mkdtemp(join(tmpdir(), 'purser-bin-'))
    open = await mkdtemp(join(tmpdir(), 'purser-root-'))
    await chmod(binaries, 0o755)
    await symlink('/usr/bin/test', join(binaries, 'test'))
  })
  afterAll(async () => {
    for (const folder of [binaries, open]) await rm(folder, { recursive: true, force: true })
  })

  test('a start as root with a private data folder fails with an explanation', async () => {
    const { ended, output } = start(open, port + 2, { PATH: binaries })
    expect(await ended).toBe(1)
    expect(output()).toContain(`uid 65534, which cannot reach ${open}`)
  })

  test('PostgreSQL runs as the user nobody in a public folder, and keeps doing so once namespaces work', async () => {
    await chmod(open, 0o711)
    for (const settings of [{ PATH: binaries }, {}]) {
      const running = start(open, port + 2, settings)
      started.push(running)
      await ready(running)
      expect((await stat(join(open, 'postgres'))).uid).toBe(65534)
      running.child.kill('SIGTERM')
      expect(await running.ended).toBe(0)
    }
  })

  test('other users can pass through a new data folder of root, but not list it', async () => {
    const folder = join(open, 'new')
    const running = start(folder, port + 2, { PATH: binaries })
    started.push(running)
    await ready(running)
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('711')
  })
})

test('a new data folder is private, with everything in it', async () => {
  const folder = join(dataDir, 'of', 'purser')
  const running = start(folder, port + 3)
  started.push(running)
  await ready(running)
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  expect(await modeOf(folder)).toBe('700')
  for (const name of await readdir(folder)) expect([name, await modeOf(join(folder, name))]).toEqual([name, '700'])
})

describe('failed starts', () => {
  const other = mkdtemp(join(tmpdir(), 'purser-start-'))
  afterAll(async () => rm(await other, { recursive: true, force: true }))

  test.each<[string, Record<string, string>, string]>([
    [
      'no database listens at the address',
      { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/none' },
      'Purser cannot reach PostgreSQL: connect ECONNREFUSED 127.0.0.1:1. Start it, or correct the host and port in DATABASE_URL.',
    ],
    [
      'the host name of the database does not resolve',
      { DATABASE_URL: 'postgres://u:secret@nowhere.invalid/none' },
      'Purser cannot reach PostgreSQL: getaddrinfo ENOTFOUND nowhere.invalid.',
    ],
    ['another program uses the port', {}, ': another program uses this port. Set another PORT or HOST.'],
    [
      'the data folder is a file',
      { DATA_DIR: import.meta.filename },
      `Purser cannot write to its data folder ${import.meta.filename} (`,
    ],
    [
      'no embedded PostgreSQL exists for the platform',
      { NODE_OPTIONS: "--import=data:text/javascript,Object.defineProperty(process,'arch',{value:'abacus'})" },
      'Purser has no embedded PostgreSQL for linux-abacus. Set DATABASE_URL to a PostgreSQL 15 to 18 that you run.',
    ],
  ])('a start fails with an explanation and without a stack if %s', async (_what, settings, message) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const { ended, output } = start(await other, address.port, settings)
    expect(await ended).toBe(1)
    taken.close()
    expect(output()).toContain(message)
    expect(output()).not.toMatch(/^\s+at |secret/m)
  })
})

test('a start fails and names the setting to use if the embedded PostgreSQL cannot run on the machine', async () => {
  const [folder, binaries] = [
    join(tmpdir(), `purser-none-${process.pid}`),
    await mkdtemp(join(tmpdir(), 'purser-bin-')),
  ]
  await expect(startEmbeddedPostgres(folder, { binaries })).rejects.toThrow(
    /^The embedded PostgreSQL does not run on this machine \(.*ENOENT\)\. On Linux it needs glibc\. Set DATABASE_URL/,
  )
  for (const each of [folder, binaries]) await rm(each, { recursive: true, force: true })
})

test('PostgreSQL recovers all commits after a kill of all its processes, which leaves its pid file behind', async () => {
  const folder = join(dataDir, 'power-cut')
  const first = await startEmbeddedPostgres(folder)
  const { connection } = first
  await createDatabase(connection)
  const client = new pg.Client(connection).on('error', () => {})
  await client.connect()
  await client.query('create table kept as select n from generate_series(1, 200000) n')
  const pid = (await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n', 1)[0] ?? ''
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const one of [pid, ...children.trim().split(' ')]) process.kill(Number(one), 'SIGKILL')
  await first.stop()

  const again = await startEmbeddedPostgres(folder)
  const second = new pg.Client(connection)
  await second.connect()
  expect((await second.query('select count(*) from kept')).rows).toEqual([{ count: '200000' }])
  await second.end()
  await again.stop()
})

test('a stop during the first start ends silently and leaves no partial data folder', async () => {
  const folder = join(dataDir, 'interrupted')
  const life = new AbortController()
  const started = startEmbeddedPostgres(folder, { signal: life.signal })
  const outcome = started.catch((error: unknown) => error)
  await expect.poll(() => existsSync(join(folder, 'postgres-new')), { interval: 5 }).toBe(true)
  life.abort()
  expect(await outcome).toBe(life.signal.reason)
  expect(existsSync(join(folder, 'postgres-new'))).toBe(false)

  const again = await startEmbeddedPostgres(folder)
  await again.stop()
})

test('a start with a bad configuration fails immediately and lists every problem', async () => {
  const child = spawn(process.execPath, [bundled('main')], {
    env: { ...processEnv, PORT: 'x', ROLES: 'cook' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const [status] = await once(child, 'exit')
  expect(status).toBe(1)
  expect(output).toContain('PORT must be an integer from 0 to 65535, not "x".')
  expect(output).toContain('ROLES[0] must be api, worker or watcher, not "cook".')
  expect(output).not.toContain('    at ')
})

test('commands find the server of a long data folder, however its path is written', async () => {
  const root = await mkdtemp(join(tmpdir(), 'purser-long-'))
  try {
    const folder = join(root, 'x'.repeat(80))
    await mkdir(folder)
    await symlink(folder, join(root, 'link'))
    const real = embeddedConnection(await realpath(folder))
    expect(embeddedConnection(`${folder}/`)).toEqual(real)
    expect(embeddedConnection(join(root, 'link'))).toEqual(real)
  } finally {
    await rm(root, { recursive: true })
  }
})

test('a start fails if another user could have created the folder of the socket', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'purser-long-')))
  const folder = join(root, 'x'.repeat(80))
  const { host } = embeddedConnection(folder)
  const outcome = () =>
    startEmbeddedPostgres(folder).then(
      async (server) => server.stop(),
      ({ message }: Error) => message,
    )
  const refused = `The folder of PostgreSQL's socket, ${host}, exists already and is not private. Remove it, or set another DATA_DIR.`
  try {
    await mkdir(host, { mode: 0o755 })
    expect(await outcome()).toBe(refused)
    await rm(host, { recursive: true })
    await mkdir(join(root, 'elsewhere'), { mode: 0o700 })
    await symlink(join(root, 'elsewhere'), host)
    expect(await outcome()).toBe(refused)
    await rm(host)
    if (process.getuid?.() !== 0) return
    await mkdir(host, { mode: 0o700 })
    await chown(host, 1, 1)
    expect(await outcome()).toBe(refused)
  } finally {
    for (const each of [host, root]) await rm(each, { recursive: true, force: true })
  }
})
