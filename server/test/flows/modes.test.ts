import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { type Process, startProcess } from '../proof/processes.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { freePort } from '../support/free-port.ts'
import { runOperator } from '../support/operator.ts'
import { processEnv } from '../support/process-env.ts'
import { productionEnv, tokensOn } from '../support/production-env.ts'
import { createTestDatabase, httpClient, type TestService } from '../support/service.ts'

/** Tests the modes of real processes. Most of the tests are slow, because they start such processes. */
const sandbox = { CHAIN: 'simulated' }
const production = { ...productionEnv, ROLES: 'api' }
const commands = join(import.meta.dirname, '../../src/commands')

const running: Process[] = []
afterEach(async () => {
  for (const process of running.splice(0)) await process.kill('SIGTERM')
})

type Connection = TestService['connection']

async function start(connection: Connection, env: Record<string, string>): Promise<Process> {
  const process = await startProcess(connection, env)
  running.push(process)
  return process
}

async function startAndStop(connection: Connection, env: Record<string, string>): Promise<void> {
  await (await start(connection, env)).kill('SIGTERM')
}

/** Returns the reason why a process does not start. */
function refusal(connection: Connection, env: Record<string, string>): Promise<string> {
  return start(connection, env).then(
    () => 'it started',
    // The conflict is also a security event in the log.
    (error: Error) => error.message.replace('the service did not start: ', '').replace(/^\{.*\}\n/gm, ''),
  )
}

const operator = ({ ...connection }: Connection, env: Record<string, string>) =>
  runOperator({ connection } as TestService, ['domain', 'list'], env)

const reconcile = (connection: Connection, env: Record<string, string>) => command(connection, ['reconcile'], env)
const database = (connection: Connection, word: string, env: Record<string, string>) =>
  command(connection, ['database', word], env)

function command(
  connection: Connection,
  [name, ...words]: readonly ['reconcile' | 'database', ...string[]],
  env: Record<string, string>,
) {
  const DATABASE_URL = databaseUrl(connection)
  return new Promise<{ code: number; output: string }>((resolve) => {
    const options = { env: { ...processEnv, DATABASE_URL, ...env } }
    const child = execFile(process.execPath, [bundled(name), ...words], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}

const isProductions =
  'MODE must be production, not sandbox, because this database belongs to a production programme. Correct MODE, or use another database.\n'
const isSandboxs =
  'MODE must be sandbox, not production, because this database belongs to a sandbox programme. Correct MODE, or use another database.\n'

test('a process or command without MODE stops on the database of a production programme', async () => {
  const connection = await createTestDatabase()
  await startAndStop(connection, production)
  expect(await refusal(connection, sandbox)).toBe(isProductions)
  expect(await refusal(connection, { ...sandbox, ROLES: 'worker' })).toBe(isProductions)
  expect(await operator(connection, sandbox)).toEqual({ code: 1, output: isProductions })
  expect(await reconcile(connection, sandbox)).toEqual({ code: 2, output: isProductions })
  expect(await operator(connection, production)).toMatchObject({ code: 0 })
})

test('production stops on the database of a sandbox, and so do its commands', async () => {
  const connection = await createTestDatabase()
  await startAndStop(connection, sandbox)
  expect(await refusal(connection, production)).toBe(isSandboxs)
  expect(await operator(connection, production)).toEqual({ code: 1, output: isSandboxs })
  expect(await reconcile(connection, production)).toEqual({ code: 2, output: isSandboxs })
})

test('a start, migrate or distribute command in another mode applies no migration', async () => {
  const connection = await createTestDatabase()
  await startAndStop(connection, production)
  // The database of a version that lacks the newest migration.
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query('delete from applied_migration where id = (select max(id) from applied_migration)')
    const applied = async () => (await client.query('select name from applied_migration order by name')).rows
    const before = await applied()
    expect(await refusal(connection, sandbox)).toBe(isProductions)
    for (const command of ['migrate', 'distribute'])
      expect(await database(connection, command, sandbox)).toEqual({ code: 1, output: isProductions })
    expect(await applied()).toEqual(before)
  } finally {
    await client.end()
  }
})

test('a programme may add a chain and retire another, but its users keep one of their chains', async () => {
  const connection = await createTestDatabase()
  const on = (...chainIds: number[]) => {
    const [token] = JSON.parse(tokensOn(1))
    const addresses = { 100: token.address, 137: `0x${'3'.repeat(40)}`, 8453: `0x${'4'.repeat(40)}` }
    const tokens = Object.entries(addresses).map(([id, address]) => ({ ...token, address, chainId: Number(id) }))
    const EUR = JSON.stringify(tokens.filter(({ chainId }) => chainIds.includes(chainId)))
    return { ...sandbox, TOKENS: EUR }
  }
  await startAndStop(connection, on(137))
  // Nobody has registered yet, so a first configuration may be corrected.
  const first = await start(connection, on(100))
  await httpClient(first.url).newUser()
  await first.kill('SIGTERM')
  await startAndStop(connection, on(100, 137))
  await startAndStop(connection, on(137))
  expect(await refusal(connection, on(8453))).toBe(
    'TOKENS must keep a chain of this programme (100, 137), because its users have deposit addresses there.\n',
  )
})

test('every command opens the database in one place, which checks the mode', async () => {
  const files = (await readdir(commands)).filter((file) => file !== 'beside.ts')
  for (const file of files)
    expect(await readFile(join(commands, file), 'utf8'), file).not.toMatch(/\bopen(Db|Databases)\b/)
})

test('a process that signs nothing starts without the KMS and raises an alarm', async () => {
  const connection = await createTestDatabase()
  const port = await freePort()
  const { child } = await start(connection, { ...production, METRICS_PORT: String(port) })
  expect(child.exitCode).toBeNull()
  const { request } = httpClient(`http://127.0.0.1:${port}`)
  await expect
    .poll(async () => (await request('GET', '/metrics')).text, { interval: 500 })
    .toContain('purser_payout_alarms_total{reason="no_signer"} 1')
  expect(await refusal(connection, { ...production, ROLES: 'worker' })).toMatch(
    /^The key that signs payouts cannot be used: .*ECONNREFUSED.*\. Check KMS_KEY_ID\.\n$/,
  )
})
