import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import { callerOf, type TestUser, useService } from '../support/service.ts'

const service = useService()

type Query = Record<string, string | number>

function read(user: TestUser, query: Query = {}) {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return service.request('GET', `/user/statement?${text}`, { token: user.token })
}

const deposit = (user: TestUser) => service.deposit(user, 1n)

/**
 * Inserts statement items directly. The JSON of each item contains only its id and its time, because the tests read
 * nothing else.
 */
async function store(user: TestUser, times: readonly string[]): Promise<string[]> {
  const ids = times.map((at) => newId(new Date(at)))
  await service.ctx.db.query(
    `-- by a test
     insert into statement_item (user_id, created_at, item_id, item)
     select $1, at, id, format('{"id":"%s","createdAt":"%s"}', id, text) from unnest($2::text[], $3::uuid[]) as row (text, id), lateral (select text::timestamptz) as moment (at)`,
    [user.userId, times, ids],
  )
  return ids
}

const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id)

/** Reads all pages, and returns the ids in the order received. */
async function readAll(user: TestUser, query: Query, betweenPages: () => Promise<unknown> = async () => {}) {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const { status, body }: { status: number; body: any } = await read(user, cursor ? { ...query, cursor } : query)
    expect(status).toBe(200)
    expect(body.pagination.hasNext).toBe(body.pagination.nextCursor !== null)
    ids.push(...idsOf(body))
    cursor = body.pagination.nextCursor
    await betweenPages()
  } while (cursor !== null)
  return ids
}

const business = (error: string) => ({ status: 400, body: { kind: 'business', success: false, error } })

describe('statement pages', () => {
  test('the statement of a new account is empty', async () => {
    const answer = await read(await service.newUser())
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.text).toBe('{"data":[],"pagination":{"nextCursor":null,"hasNext":false}}')
  })

  test('a statement page is newest first and has a hundred items by default', async () => {
    const user = await service.newUser()
    const times = Array.from({ length: 101 }, (_, i) => new Date(Date.UTC(2026, 0, 1, 0, 0, i)).toISOString())
    const ids = await store(user, times)
    const { body } = await read(user)
    expect(idsOf(body)).toEqual([...ids].reverse().slice(0, 100))
    expect(body.pagination).toEqual({ nextCursor: expect.any(String), hasNext: true })
    const last = await read(user, { cursor: body.pagination.nextCursor })
    expect(idsOf(last.body)).toEqual([ids[0]])
    expect(last.body.pagination).toEqual({ nextCursor: null, hasNext: false })
  })

  test('a statement page that ends at the last item has no next page', async () => {
    const user = await service.newUser()
    await store(user, ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'])
    expect((await read(user, { limit: 2 })).body.pagination).toEqual({ nextCursor: null, hasNext: false })
  })

  test('a statement page contains the stored bytes', async () => {
    const user = await service.newUser()
    await deposit(user)
    const [row] = await service.ctx.db.query<{ item: string }>('select item from statement_item where user_id = $1', [
      user.userId,
    ])
    expect((await read(user)).text).toBe(`{"data":[${row?.item}],"pagination":{"nextCursor":null,"hasNext":false}}`)
  })
})

describe('statement cursors', () => {
  test.each([5, 10, 7, 100])(
    'statement pages of %i items give every item once and in order, including ties',
    async (limit) => {
      const user = await service.newUser()
      const times = Array.from({ length: 60 }, (_, i) => `2026-01-01T00:00:0${Math.floor(i / 20)}.123Z`)
      const ids = await store(user, times)
      const byPlace = ids
        .map((id, i) => `${times[i]} ${id}`)
        .sort()
        .reverse()
      const pages = await readAll(user, { limit })
      expect(pages).toEqual(byPlace.map((place) => place.split(' ')[1]))
    },
  )

  test('all statement pages together give every earlier item once while new items arrive', async () => {
    const user = await service.newUser()
    const before: string[] = []
    for (let i = 0; i < 10; i++) before.push(await deposit(user))
    const pages = await readAll(user, { limit: 2 }, () => deposit(user))
    expect(pages).toEqual([...before].reverse())
  })

  test('with a statement cursor, the limit can change and the filters can be omitted or repeated', async () => {
    const user = await service.newUser()
    const ids = await store(user, [
      '2026-01-01T00:00:00Z',
      '2026-01-02T00:00:00Z',
      '2026-01-03T00:00:00Z',
      '2026-01-04T00:00:00Z',
    ])
    const filters = { startDate: '2026-01-02', endDate: '2026-01-04' }
    const first = (await read(user, { ...filters, limit: 1 })).body
    expect(idsOf(first)).toEqual([ids[3]])
    const cursor = first.pagination.nextCursor
    const rest = [ids[2], ids[1]]
    expect(idsOf((await read(user, { cursor })).body)).toEqual(rest)
    expect(idsOf((await read(user, { cursor, ...filters, limit: 50 })).body)).toEqual(rest)
    expect(idsOf((await read(user, { cursor, startDate: '2026-01-02T00:00:00Z' })).body)).toEqual(rest)
  })

  test('a statement cursor with other filters is rejected', async () => {
    const user = await service.newUser()
    await store(user, ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'])
    const plain = (await read(user, { limit: 1 })).body.pagination.nextCursor
    expect(await read(user, { cursor: plain, startDate: '2026-01-01' })).toMatchObject(business('CURSOR_MISMATCH'))
    const filtered = (await read(user, { limit: 1, endDate: '2026-01-03' })).body.pagination.nextCursor
    expect(await read(user, { cursor: filtered, endDate: '2026-01-02' })).toMatchObject(business('CURSOR_MISMATCH'))
  })

  test('a statement cursor that was changed, forged or issued to another user is rejected', async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    await store(user, ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'])
    const cursor: string = (await read(user, { limit: 1 })).body.pagination.nextCursor
    const changed = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`
    for (const bad of [changed, cursor.slice(1), `${cursor}A`, '', 'null', '../..', '\u0000', '💶'.repeat(19)]) {
      expect(await read(user, { cursor: bad })).toMatchObject(business('INVALID_CURSOR'))
    }
    expect(await read(other, { cursor })).toMatchObject(business('INVALID_CURSOR'))
  })
})

describe('statement filters', () => {
  let user: TestUser
  let ids: string[]
  beforeAll(async () => {
    user = await service.newUser()
    ids = await store(user, [
      '2026-01-31T00:00:00.000Z',
      '2026-01-31T12:00:00.500Z',
      '2026-01-31T23:59:59.999Z',
      '2026-02-01T00:00:00Z',
    ])
  })

  test.each<[string, Query, number[]]>([
    ['a bare date covers the whole day', { startDate: '2026-01-31', endDate: '2026-01-31' }, [2, 1, 0]],
    ['the lower bound is inclusive', { startDate: '2026-01-31T12:00:00.500Z' }, [3, 2, 1]],
    ['the upper bound is inclusive', { endDate: '2026-01-31T12:00:00.500Z' }, [1, 0]],
    ['a bound in another time zone is the same instant', { endDate: '2026-01-31T01:00:00+01:00' }, [0]],
    ['a bound finer than a millisecond is truncated', { startDate: '2026-01-31T23:59:59.9999Z' }, [3, 2]],
    ['one instant can be both bounds', { startDate: '2026-02-01T00:00:00Z', endDate: '2026-02-01T00:00:00Z' }, [3]],
    ['a range without items is an empty page', { startDate: '2027-01-01' }, []],
  ])('the date filters of the statement apply: %s', async (_what, query, places) => {
    const { status, body } = await read(user, query)
    expect(status).toBe(200)
    expect(idsOf(body)).toEqual(places.map((place) => ids[place]))
  })

  test('a statement query with a startDate after the endDate is rejected', async () => {
    const query = { startDate: '2026-02-01', endDate: '2026-01-31' }
    expect(await read(user, query)).toMatchObject(business('INVALID_DATE_RANGE'))
  })

  test.each<[Query]>([
    [{ limit: 0 }],
    [{ limit: 101 }],
    [{ limit: '1.5' }],
    [{ limit: 'ten' }],
    [{ limit: '' }],
    [{ limit: '0x5' }],
    [{ limit: '5e0' }],
    [{ limit: '5.0' }],
    [{ limit: ' 5' }],
    [{ limit: '+5' }],
    [{ limit: '5 ' }],
    [{ startDate: 'yesterday' }],
    [{ startDate: '2026-02-30' }],
    [{ startDate: '2026-01-31T00:00:00' }],
    [{ endDate: '2026-01-31T23:59:60Z' }],
    [{ endDate: '0000-01-01' }],
    [{ endDate: '+012026-01-01' }],
    [{ endDate: '1769817600000' }],
  ])('the statement query %o is rejected', async (query) => {
    const answer = await read(user, query)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      kind: 'validation',
      success: false,
      error: { name: 'ValidationError', message: expect.stringContaining('querystring/') },
    })
  })

  test('a repeated parameter of the statement is rejected, and an unknown one is ignored', async () => {
    const twice = await service.request('GET', '/user/statement?limit=1&limit=2', { token: user.token })
    expect(twice.body.kind).toBe('validation')
    expect((await read(user, { page: 3 })).body.data).toHaveLength(4)
  })
})

describe('access to the statement', () => {
  test('the statement needs an access token', async () => {
    const answer = await service.request('GET', '/user/statement')
    expect(answer).toMatchObject({ status: 401, body: { success: false, error: 'UNAUTHORIZED' } })
  })

  test('the statement never shows the rows of another user', async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    await deposit(user)
    expect((await read(other)).body.data).toEqual([])
  })

  test('access to the statement ends when the wallet is removed or the user is closed', async () => {
    for (const rows of [0, 1]) {
      const removed = await service.newUser()
      if (rows) await deposit(removed)
      await service.ctx.db.query('delete from owner where user_id = $1', [removed.userId])
      expect(await read(removed)).toMatchObject({ status: 401, body: { success: false, error: 'ACCESS_REVOKED' } })

      const closed = await service.newUser()
      if (rows) await deposit(closed)
      await service.ctx.db.query(`update app_user set status = 'closed' where user_id = $1`, [closed.userId])
      expect(await read(closed)).toMatchObject({ status: 401, body: { success: false, error: 'ACCESS_REVOKED' } })
    }
  })

  test('the statement of a user without an account gets 404', async () => {
    const user = await service.newUser()
    await service.ctx.db.query('delete from account where user_id = $1', [user.userId])
    expect(await read(user)).toMatchObject({ status: 404, body: { success: false, error: 'ACCOUNT_NOT_FOUND' } })
  })
})

// The suite runs without --expose-gc. A flag that is set at run time takes effect only in contexts that are made later.
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Requests the statement and closes the connection before the response. */
async function requestAndAbort(user: TestUser): Promise<void> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = ['GET /user/statement HTTP/1.1', `Host: ${hostname}`, `Authorization: Bearer ${user.token}`]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  // Usually long enough for the service to read the request and too short for the response.
  await delay(Math.random() * 4)
  socket.resetAndDestroy()
}

test('aborted statement requests release the memory of their pages and do not corrupt other pages', async () => {
  const [leaving, reading] = [await service.newUser(), await service.newUser()]
  for (const user of [leaving, reading]) await deposit(user)
  const wanted = (await read(reading)).text
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 10; i++) {
    const left = Array.from({ length: 20 }, () => requestAndAbort(leaving))
    expect((await read(reading)).text).toBe(wanted)
    await Promise.all(left)
  }
  await expect.poll(async () => (await read(reading)).text).toBe(wanted)
  // A page has 160 kB, and at most 16 are pooled. Buffers that nothing holds disappear with the next collection.
  const growth = () => {
    collectGarbage()
    return process.memoryUsage().arrayBuffers - before
  }
  await expect.poll(growth).toBeLessThan(4 * 2 ** 20)
})

test('a statement page reads one range of the primary key in order and checks the access once', async () => {
  const user = await service.newUser()
  await store(
    user,
    Array.from({ length: 500 }, (_, i) => new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString()),
  )
  await service.ctx.db.query('analyze statement_item')
  const { eachReadableItem } = await import('../../src/money/statement/sql.ts')
  const texts: string[] = []
  let plan = ''
  const db = {
    eachRow: async (text: string, values: readonly unknown[]) => {
      texts.push(text)
      const rows = await service.ctx.db.query<Record<string, string>>(`explain ${text}`, values)
      plan = rows.map((row) => Object.values(row).join(' ')).join('\n')
    },
  }
  const caller = callerOf(user.token)
  const after = { createdAt: new Date('2026-06-01T00:00:00Z'), itemId: newId(new Date()) }
  const filters = { start: new Date(0), end: null, type: null, cardId: null }
  await eachReadableItem(db, caller, { filters, after, limit: 101 }, () => {})
  expect(texts).toHaveLength(1)
  expect(plan).toContain('Index Scan Backward using statement_item_pkey')
  expect(plan).toContain('One-Time Filter')
  expect(plan).not.toContain('Sort')
})
