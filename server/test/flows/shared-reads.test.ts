import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openDb } from '../../src/platform/db/db.ts'
import { createTestDatabase, startService } from '../support/service.ts'

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const reader = () => service.ctx.db.reader

async function texts(text: string, values: readonly unknown[]): Promise<string[]> {
  const kept: string[] = []
  await reader().eachRow(text, values, (bytes, start, end) => kept.push(bytes.toString('utf8', start, end)))
  return kept
}

test('each of many concurrent hot reads gets its own rows, whatever their size', async () => {
  // Some rows are longer than one read of the socket, so they arrive in different numbers of pieces.
  const lengths = Array.from({ length: 60 }, (_, i) => (i * 7919) % 200_000)
  const answers = await Promise.all(
    lengths.map((length) => texts(`select repeat('x', $1::int) from generate_series(1, 3)`, [length])),
  )
  expect(answers.map((rows) => rows.map((row) => row.length))).toEqual(
    lengths.map((length) => [length, length, length]),
  )
})

test('hot reads return the same types as other queries: bigint, null, any Unicode text and times', async () => {
  const at = new Date('2026-01-31T12:00:00.123Z')
  const text = `select $1::numeric as amount, null::text as nothing, '' as empty, $2::text as "inWords", $3::timestamptz as at`
  const values = [10n ** 30n, 'Café 東京 🍣', at]
  const row = { amount: 10n ** 30n, nothing: null, empty: '', inWords: 'Café 東京 🍣', at }
  expect(await reader().query(text, values)).toEqual([row])
  expect(await service.ctx.db.query(text, values)).toEqual([row])
})

test('array parameters of hot reads can contain any text, null and times', async () => {
  const words = ['plain', '', 'null', 'a,b', '{c}', 'say "d"', 'back\\slash', 'Café 🍣', null]
  const read = (values: readonly unknown[]) =>
    reader().query('select $1::text[] as words, $2::timestamptz[] as at', values)
  const at = [new Date('2026-01-31T12:00:00.123Z')]
  expect(await read([words, at])).toEqual([{ words, at }])
  expect(await read([[], []])).toEqual([{ words: [], at: [] }])
})

test('each caller of a batched hot read gets its own rows, with prepared statements and without', async () => {
  const plain = openDb(await createTestDatabase(), readConfig({ DATABASE_PREPARED: 'off' }), () => {})
  const text = 'select at::int, n * n as square from unnest($1::int[]) with ordinality as asked (n, at)'
  try {
    for (const db of [service.ctx.db, plain]) {
      const ask = (n: number) => db.reader.batch<{ at: number; square: number }>(text, [n])
      const squares = await Promise.all([3, 1, 2].map(ask))
      expect(squares.map((rows) => rows.map(({ square }) => square))).toEqual([[9], [1], [4]])
    }
  } finally {
    await plain.stop()
  }
})

test('a time after the year 9999 is a valid parameter of a hot read', async () => {
  const year = await texts('select extract(year from $1::timestamptz)::text', [new Date('+010000-01-01T00:00Z')])
  expect(year).toEqual(['10000'])
})

test('a failed hot read rejects with its SQLSTATE, and later hot reads succeed', async () => {
  const failures = ['select 1 / $1::int as n', 'select $1::int as n from nowhere']
  for (const text of failures) {
    await expect(reader().query(text, [0])).rejects.toMatchObject({ code: expect.stringMatching(/^(22012|42P01)$/) })
    for (let n = 0; n < 4; n++) expect(await reader().query('select $1::int as n', [n])).toEqual([{ n }])
  }
})

test('a hot read whose plan a migration invalidated is prepared again, and the caller notices nothing', async () => {
  const { db } = service.ctx
  await db.query('create table changing (one int)')
  const read = () => reader().query('select * from changing', [])
  for (let i = 0; i < 4; i++) await read()
  await db.query('alter table changing add two int')
  for (let i = 0; i < 4; i++) expect(await read()).toEqual([])
  await db.query('insert into changing values (1, 2)')
  expect(await read()).toEqual([{ one: 1, two: 2 }])
})

test('hot reads sent after a failing one in the same write are sent again, and none gets the rows of another', async () => {
  const text = 'select 6 / $1::int as n'
  const ask = (...divisors: number[]) =>
    Promise.allSettled(divisors.map((n) => reader().query<{ n: number }>(text, [n])))
  // Statements of one turn of the event loop are sent in one write.
  const answers = await ask(1, 2, 0, 3, 6)
  const quotients = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value[0]?.n : null))
  expect(quotients).toEqual([6, 3, null, 2, 1])
  const next = await ask(1, 2, 3)
  expect(next.map((answer) => answer.status === 'fulfilled' && answer.value[0]?.n)).toEqual([6, 3, 2])
})

/** Creates a function that fails on the connection with this process id. The next connection has another one. */
async function createAborting(): Promise<void> {
  await service.ctx.db.query(`
    create or replace function abort_on(pid int, state text) returns int language plpgsql as $$
    begin
      if pg_backend_pid() = pid then raise exception 'aborted' using errcode = state; end if;
      return 7;
    end $$`)
}

const currentPid = async () => (await reader().query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid

test.each([
  ['a deadlock', '40P01'],
  ['a serialization failure', '40001'],
  ['a cancellation', '57014'],
])('a hot read that %s aborts is repeated', async (_cause, state) => {
  await createAborting()
  const values = [await currentPid(), state]
  expect(await reader().query('select abort_on($1::int, $2) as n', values)).toEqual([{ n: 7 }])
  const alone = [await currentPid(), state]
  expect(await texts('select abort_on($1::int, $2)::text', alone)).toEqual(['7'])
  const batched =
    'select at::int, abort_on(pid, state) as n from unnest($1::int[], $2::text[]) with ordinality as asked (pid, state, at)'
  expect(await reader().batch(batched, [await currentPid(), state])).toEqual([{ at: 1, n: 7 }])
})

test('a hot read is not repeated once its caller has received rows', async () => {
  await createAborting()
  const rows: string[] = []
  const text = 'select (case when i < 3 then i else abort_on($1::int, $2) end)::text from generate_series(1, 3) as i'
  const read = reader().eachRow(text, [await currentPid(), '40P01'], (bytes, start, end) => {
    rows.push(bytes.toString('utf8', start, end))
  })
  await expect(read).rejects.toMatchObject({ code: '40P01' })
  expect(rows).toEqual(['1', '2'])
})

const sleeping = async () => {
  const active = `select from pg_stat_activity where datname = current_database() and state = 'active'`
  return (await service.ctx.db.query(`${active} and query like 'select pg_sleep%'`)).length
}

/** A connection counts as stalled 25 ms after its oldest statement was sent. */
async function untilStalled(): Promise<void> {
  await expect.poll(sleeping).toBe(1)
  await delay(100)
}

test('a hot read does not wait for a stalled one', async () => {
  const sleep = (seconds: number) => reader().query('select pg_sleep($1::float8)', [seconds])
  // Opens the connection.
  await sleep(0)
  const stalled = sleep(8)
  await untilStalled()
  await sleep(0)
  expect(await sleeping()).toBe(1)
  await stalled
})

test('a connection that the server ends rejects its hot reads and is replaced', async () => {
  const sleep = (n: number) => reader().query('select pg_sleep(30), $1::int as n', [n])
  // The first statement stalls its connection, so the second one uses the other connection.
  const one = sleep(1)
  const slow = Promise.allSettled([one, untilStalled().then(() => sleep(2))])
  const { db } = service.ctx
  const find = `select pid from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`
  await expect.poll(async () => (await db.query(find)).length).toBe(2)
  await db.query(`select pg_terminate_backend(pid) from (${find}) found`)
  expect((await slow).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await Promise.all([1, 2].map((n) => reader().query('select $1::int as n', [n])))).toEqual([
    [{ n: 1 }],
    [{ n: 2 }],
  ])
})

// A cluster finds the node of the rows when it plans, so there it plans each read.
test.skipIf(process.env['TEST_CLUSTER'])(
  'a hot read over arrays is planned only once for each connection',
  async () => {
    const ask = () => reader().batch('select at::int from unnest($1::int[]) with ordinality as asked (n, at)', [1])
    for (let i = 0; i < 20; i++) await ask()
    const plans = 'select sum(generic_plans) > 0 as some, sum(custom_plans) as others from pg_prepared_statements'
    expect(await reader().query(plans)).toEqual([{ some: true, others: 0n }])
  },
)

test('a hot read cannot write', async () => {
  await expect(reader().query('create table never (n int)', [])).rejects.toMatchObject({ code: '25006' })
})
