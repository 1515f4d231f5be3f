import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../src/platform/observability/log.ts'
import { startService, type TestService } from '../support/service.ts'
import { eure, type Person, populate } from '../support/world.ts'

/** A service whose withdrawals are on a separate small disk. Only root can mount one. */
let service: TestService
let alice: Person
let disk: string | null = null
let logged = ''
const call = promisify(execFile)
const tablespace = `small_${randomUUID().replaceAll('-', '')}`

beforeAll(async () => {
  const write = (line: string) => {
    logged += line
  }
  service = await startService({ alter: (ctx) => ({ ...ctx, log: createLog('info', { write }) }) })
  alice = (await populate(service, { eur: 100 })).alice
  const [row] = await service.ctx.db.query<{ path: string }>(
    "select setting as path from pg_settings where name = 'data_directory'",
  )
  const { uid } = await stat(row?.path ?? '')
  const folder = await mkdtemp(join(tmpdir(), 'purser-disk-'))
  const mounted = await call('mount', ['-t', 'tmpfs', '-o', `size=2m,mode=700,uid=${uid}`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  )
  if (mounted) disk = folder
  else await rm(folder, { recursive: true })
})
afterAll(async () => {
  if (disk !== null) {
    await service.ctx.db.query('drop table if exists ballast')
    await service.ctx.db.query('alter table withdrawal set tablespace pg_default')
    await service.ctx.db.query(`drop tablespace ${tablespace}`)
  }
  await service.stop()
  if (disk === null) return
  await call('umount', [disk])
  await rm(disk, { recursive: true })
})

/** Fills the disk of the withdrawals. Without a separate disk, a trigger raises PostgreSQL's error for a full one. */
async function fillDisk(): Promise<void> {
  const { db } = service.ctx
  if (disk === null) {
    await db.query(
      `create function fail() returns trigger language plpgsql as $$ begin raise 'no space' using errcode = '53100'; end $$`,
    )
    await db.query('create trigger full_disk before insert on withdrawal for each row execute function fail()')
    return
  }
  await db.query(`create tablespace ${tablespace} location '${disk}'`)
  await db.query(`alter table withdrawal set tablespace ${tablespace}`)
  await db.query(`create table ballast (data text) tablespace ${tablespace}`)
  await db.query(`alter table ballast alter data set storage plain`)
  await expect(db.query("insert into ballast select repeat('x', 7000) from generate_series(1, 1000)")).rejects.toThrow(
    /No space left/,
  )
}

async function freeDisk(): Promise<void> {
  const { db } = service.ctx
  if (disk === null) await db.query('drop trigger full_disk on withdrawal')
  else await db.query('drop table ballast')
}

/** Returns the log lines of warnings and errors. */
const failures = () =>
  logged
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level > 30)

test('a full disk makes money requests fail with 503 and Retry-After, and the service not ready, until there is room', async () => {
  expect((await service.request('GET', '/health/ready')).status).toBe(200)
  await fillDisk()
  const key = { 'idempotency-key': randomUUID() }
  const withdraw = () =>
    alice.ask(
      'POST',
      '/user/withdrawal',
      { tokenAddress: service.ctx.config.tokens[0]?.address, amount: String(eure(1)) },
      key,
    )
  for (let i = 0; i < 3; i++) {
    const refused = await withdraw()
    expect([refused.status, refused.body]).toEqual([503, { success: false, error: 'SERVICE_UNAVAILABLE' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await service.request('GET', '/health')).status).toBe(200)
  const ready = await service.request('GET', '/health/ready')
  expect([ready.status, ready.body]).toEqual([503, { status: 'unavailable' }])
  // The balances are still readable.
  expect((await alice.ask('GET', '/user/balances/v2')).status).toBe(200)

  await freeDisk()
  expect((await withdraw()).status).toBe(201)
  expect(await alice.money()).toMatchObject({ own: 99_00n })
  await alice.assertBooks()
})

test('a shortage of the database is logged and counted once a minute, not once per request', async () => {
  expect(failures()).toMatchObject([{ area: 'database', reason: 'disk_full', msg: 'alarm raised' }])
  const metrics = (await service.request('GET', '/metrics')).text
  expect(metrics).toContain('purser_database_alarms_total{reason="disk_full"} 1')
})
