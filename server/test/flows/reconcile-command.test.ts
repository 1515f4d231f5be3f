import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealDue } from '../../src/money/reconcile/seals.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { processEnv } from '../support/process-env.ts'
import { startService, type TestService } from '../support/service.ts'
import { eure, populate } from '../support/world.ts'

let service: TestService
let folder: string
const logged: string[] = []

beforeAll(async () => {
  service = await startService({ worker: false, alter: (ctx) => ({ ...ctx, log: logInto(logged) }) })
  folder = await mkdtemp(join(tmpdir(), 'purser-reconcile-'))
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

function logInto(lines: string[]) {
  return createLog('info', {
    write(line) {
      lines.push(line)
    },
  })
}

type Outcome = { code: number; stdout: string; stderr: string }

/** Runs the command on read-only connections, which proves that it writes nothing. */
async function reconcile(args: readonly string[] = [], change: Record<string, string> = {}): Promise<Outcome> {
  const env = {
    ...processEnv,
    PGOPTIONS: '-c default_transaction_read_only=on',
    DATABASE_URL: databaseUrl(service.connection),
    ...change,
  }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bundled('reconcile'), ...args], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

/** Returns a user with a deposit (movements 1 and 2) and a hold (3). */
async function withHistory(): Promise<string> {
  const { alice: holder } = await populate(service, { eur: 100, card: true })
  await holder.send('authorization', '10.00')
  return holder.userId
}

test('the report on correct books shows the checked rows, the unsealed movements and the totals of each token', async () => {
  await withHistory()
  await sealDue({ ...service.ctx })
  const userId = await withHistory()
  const { code, stdout, stderr } = await reconcile()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [row] = await service.ctx.db.query<{ at: Date }>(
    'select created_at as at from movement where user_id = $1 and seq = 1',
    [userId],
  )
  expect(stdout.split('\n')).toEqual([
    'Checked 2 users: 6 movements with 8 postings, 4 statement items.',
    'Checked 0 operator decisions and audit log entries.',
    `Unsealed movements: 3, the oldest from ${row?.at.toISOString()}. Users with unsealed movements: 1.`,
    '',
    'Totals, in the smallest unit of each token:',
    `  EURe ${service.ctx.config.tokens[0]?.address}: available 180000000000000000000, held 20000000000000000000, chain -200000000000000000000`,
    '',
    'The books are correct: I1 to I9 hold.',
    '',
  ])
})

test('reconcile exits with 1 and describes a bad row, but still checks every user', async () => {
  const [one, other] = [await withHistory(), await withHistory()]
  await sealDue({ ...service.ctx })
  const edit = (sign: string, userId: string) =>
    service.ctx.db.query(
      `update ledger_balance set available = available ${sign} 7, held = held - (0 ${sign} 7) where user_id = $1`,
      [userId],
    )
  for (const userId of [one, other]) await edit('+', userId)
  const { code, stdout } = await reconcile()
  expect(code).toBe(1)
  expect(stdout).toContain('Every movement is sealed.')
  const [first] = [one, other].sort()
  expect(stdout).toContain(`The first:
  user   ${first}
  table  ledger_balance
  key    token ${service.ctx.config.tokens[0]?.address}
  wrong  I3: available is 90000000000000000007, but its postings add up to 90000000000000000000
Then:`)
  expect(stdout).toContain('NOT correct. Bad rows: 6. Users with bad rows: 2.')
  for (const userId of [one, other]) await edit('-', userId)
  expect(await reconcile()).toMatchObject({ code: 0 })
})

test('the log of seals reveals movements whose seals were deleted', async () => {
  const { alice } = await populate(service, { eur: 100, card: true })
  await sealDue(service.ctx)
  await alice.deposit(eure(1))
  await sealDue(service.ctx)
  const file = join(folder, 'purser.log')
  await writeFile(file, `not json, but: books sealed\n{"msg":"books sealed"}\n${logged.join('')}{"cut`)
  expect(await readFile(file, 'utf8')).toContain(`"userId":"${alice.userId}","seq":"4"`)
  expect(await reconcile(['--log', file])).toMatchObject({ code: 0 })

  // Deleting the seal alone is enough for an attacker: the service would seal whatever the rows contain by then.
  const { userId } = alice
  await service.ctx.db.query('delete from movement_seal where user_id = $1 and first_seq > 2', [userId])
  expect(await reconcile()).toMatchObject({ code: 0, stdout: expect.stringContaining('Unsealed movements: 2,') })
  const { code, stdout } = await reconcile(['--log', file])
  expect(code).toBe(1)
  expect(stdout).toMatch(
    new RegExp(`user {3}${userId}\n  table {2}movement_seal\n  key {4}movement 4\n  wrong {2}I6: its logged hash is`),
  )
  await sealDue({ ...service.ctx })
  expect(await reconcile(['--log', file]), 'sealed anew without a change').toMatchObject({ code: 0 })
})

test('reconcile reports a user who is in the log but not in the database', async () => {
  const gone = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
  const file = join(folder, 'gone.log')
  await writeFile(file, `${JSON.stringify({ msg: 'books sealed', userId: gone, seq: '3', head: '00' })}\n`)
  const { code, stdout } = await reconcile(['--log', file])
  expect(code).toBe(1)
  expect(stdout).toContain(`user   ${gone}\n  table  movement_seal\n  key    movement 3`)
})

test('reconcile with another SECRET exits with 1 and reports seals not computed with SECRET', async () => {
  const { code, stdout } = await reconcile([], { SECRET: 'another secret of the right length but wrong' })
  expect(code).toBe(1)
  expect(stdout).toContain('not computed with SECRET')
})

test.each<[string, string[], Record<string, string>, RegExp]>([
  [
    'an unreachable database',
    [],
    { DATABASE_URL: 'postgres://purser@127.0.0.1:1/none' },
    /^The database does not respond/,
  ],
  ['an unknown argument', ['--lock'], {}, /^Usage: npm run reconcile/],
  ['an invalid configuration', [], { PORT: 'x' }, /PORT must be an integer/],
  ['a missing log file', ['--log', '/none/such'], {}, /^The log cannot be read: .*no such file/],
])('reconcile exits with 2 for %s', async (_what, args, change, message) => {
  const { code, stdout, stderr } = await reconcile(args, change)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
})

test('a worker seals and checks the books, and reports both in its log and metrics', async () => {
  const userId = await withHistory()
  const lines: string[] = []
  const worker = await startService({
    connection: service.connection,
    env: { RECONCILE_EVERY_SECONDS: '1' },
    alter: (ctx) => ({ ...ctx, log: logInto(lines) }),
  })
  const metrics = () => worker.ctx.metrics.registry.metrics()
  try {
    await expect.poll(() => lines.join('')).toContain(`"userId":"${userId}","seq":"3"`)
    await expect.poll(metrics).toMatch(/purser_reconcile_runs_total\{result="clean"\} [1-9]/)
    expect(await metrics()).toContain('purser_reconcile_bad_rows 0')
    expect(await metrics()).toMatch(/^purser_reconcile_age_seconds \d/m)
    await service.ctx.db.query('update posting set amount = amount + 1 where user_id = $1 and movement_seq = 3', [
      userId,
    ])
    await expect.poll(metrics).toMatch(/purser_reconcile_runs_total\{result="bad"\} [1-9]/)
    expect(await metrics()).toMatch(/purser_reconcile_bad_rows [1-9]/)
    expect(lines.join('')).toMatch(
      /"level":50,.*"table":"movement, posting","key":"movement 3".*"msg":"bad row found in the books"/,
    )
  } finally {
    await worker.stop()
  }
})
