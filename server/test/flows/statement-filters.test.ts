import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { eachReadableItem } from '../../src/money/statement/sql.ts'
import { callerOf } from '../support/service.ts'
import { eure, type Person, useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })

/** Creates a person with items of every type, and two cards. */
async function newSpender(): Promise<{ alice: Person; second: string }> {
  const { alice } = await world({ eur: 100, card: true })
  const second = (await alice.ask('POST', '/cards/virtual', { cardName: 'Two' })).body.cardId
  for (let i = 0; i < 6; i++) {
    const message = { authorization_code: undefined, card_id: i % 3 === 0 ? second : alice.cardId }
    await alice.send('authorization', '1.00', { ...message, merchant_name: `=Shop "${i}"; \tÜnal, Ltd\r\n` })
    if (i % 2 === 0) await alice.deposit(eure(2))
    if (i % 3 === 0) await alice.withdraw(eure(1))
  }
  await alice.send('authorization', '999.00', { authorization_code: undefined })
  return { alice, second }
}

async function readAll(person: Person, query: Record<string, string> = {}): Promise<any[]> {
  const items: any[] = []
  let cursor: string | null = null
  do {
    const text: string = new URLSearchParams({ limit: '2', ...query, ...(cursor ? { cursor } : {}) }).toString()
    const { status, body } = await person.ask('GET', `/user/statement?${text}`)
    expect(status).toBe(200)
    items.push(...body.data)
    cursor = body.pagination.nextCursor
  } while (cursor !== null)
  return items
}

const exported = (person: Person, query = '') =>
  person.ask('GET', `/user/statement${query}`, undefined, { accept: 'text/csv' })

/** Parses CSV as RFC 4180 defines it, into one record per line. */
function recordsOf(text: string): Record<string, string>[] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end !== ',') rows.push([])
  }
  const [names = [], ...lines] = rows.slice(0, -1)
  return lines.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])))
}

const columns = [
  ...['type', 'id', 'status', 'createdAt', 'description', 'isCredit', 'quantity', 'amount', 'currency', 'decimals'],
  ...['originalAmount', 'originalCurrency', 'originalDecimals', 'updatedAt', 'clearedAt', 'kind', 'cardId'],
  ...['authorizationId', 'authorizationCode', 'mcc', 'merchantName', 'merchantCity', 'merchantCountry', 'entryMode'],
  ...['declineCode', 'declineMessage', 'fiatCurrency', 'txHash', 'fromAddress', 'toAddress', 'chainId'],
]

/** The fields of JSON items without a column: lists, objects and facts that another column implies. */
const onlyInJson = ['transactions', 'billing', 'transactionCurrency', 'cardToken', 'isPending', 'wallet']

/**
 * Returns the record that the CSV must have for an item of a JSON page. A new field needs a column, or a place above.
 */
function recordOf(item: any): Record<string, string> {
  const { merchant, declineReason, ...fields } = item
  const digits = item.amount.padStart(item.decimals + 1, '0')
  const values: Record<string, unknown> = {
    ...fields,
    quantity: `${digits.slice(0, -item.decimals)}.${digits.slice(-item.decimals)}`,
    ...{ merchantName: merchant?.name, merchantCity: merchant?.city, merchantCountry: merchant?.country },
    ...{ declineCode: declineReason?.code, declineMessage: declineReason?.message },
  }
  const names = [...columns, ...Object.keys(values).filter((name) => !onlyInJson.includes(name))]
  return Object.fromEntries(
    [...names].map((name) => {
      const text = String(values[name] ?? '')
      return [name, /^[=+\-@\t\r]/.test(text) ? `'${text}` : text]
    }),
  )
}

describe('a filtered statement', () => {
  test('a statement of each type has exactly its items, in the order of the whole statement', async () => {
    const { alice } = await newSpender()
    const whole = await readAll(alice)
    expect(whole.length).toBe(13)
    for (const type of ['card_transaction', 'deposit', 'withdrawal']) {
      const wanted = whole.filter((item) => item.type === type)
      expect(await readAll(alice, { type })).toEqual(wanted)
      expect(wanted.length).toBeGreaterThan(1)
    }
  })

  test('a statement of a card has its card transactions only, and none of another user', async () => {
    const { alice, second } = await newSpender()
    const { bob } = await world({ card: true }, 'bob')
    const whole = await readAll(alice)
    for (const cardId of [alice.cardId, second]) {
      const wanted = whole.filter((item) => item.cardId === cardId)
      expect(await readAll(alice, { cardId })).toEqual(wanted)
      expect(await readAll(alice, { cardId: cardId.toUpperCase(), type: 'card_transaction' })).toEqual(wanted)
      expect(await readAll(alice, { cardId, type: 'deposit' })).toEqual([])
      expect(await readAll(bob, { cardId })).toEqual([])
    }
    expect(await readAll(alice, { cardId: randomUUID() })).toEqual([])
  })

  test('the filters of a statement combine with its dates', async () => {
    const { alice, second } = await newSpender()
    const whole = await readAll(alice)
    const [startDate, endDate] = [whole.at(-3).createdAt, whole.at(3).createdAt]
    const isWithin = ({ createdAt }: any) => createdAt >= startDate && createdAt <= endDate
    for (const type of ['card_transaction', 'deposit', 'withdrawal']) {
      const wanted = whole.filter((item) => item.type === type && isWithin(item))
      expect(await readAll(alice, { type, startDate, endDate })).toEqual(wanted)
    }
    const ofCard = whole.filter((item) => item.cardId === second && isWithin(item))
    expect(await readAll(alice, { cardId: second, startDate, endDate })).toEqual(ofCard)
    for (const old of [{ endDate: '0001-01-01' }, { startDate: '9999-12-31' }]) {
      expect(await readAll(alice, { type: 'card_transaction', ...old })).toEqual([])
    }
  })

  test('a filtered statement keeps its filters in the cursor', async () => {
    const { alice, second } = await newSpender()
    const page = (await alice.ask('GET', '/user/statement?type=deposit&limit=1')).body
    const cursor = encodeURIComponent(page.pagination.nextCursor)
    const next = await alice.ask('GET', `/user/statement?limit=1&cursor=${cursor}`)
    expect(next.body.data[0].type).toBe('deposit')
    for (const other of ['type=withdrawal', `cardId=${second}`]) {
      const refused = await alice.ask('GET', `/user/statement?cursor=${cursor}&${other}`)
      expect([refused.status, refused.body.error]).toEqual([400, 'CURSOR_MISMATCH'])
    }
  })

  test('a statement rejects unknown types and malformed card ids', async () => {
    const { alice } = await world()
    for (const query of ['type=payment', 'type=', 'cardId=x', 'cardId=', 'type=deposit&type=withdrawal']) {
      expect((await alice.ask('GET', `/user/statement?${query}`)).status, query).toBe(400)
    }
  })

  test('a removed owner cannot read a filtered statement', async () => {
    const { alice } = await newSpender()
    await service.ctx.db.query('delete from owner where user_id = $1', [alice.userId])
    for (const query of ['type=deposit', 'type=card_transaction', 'type=withdrawal', `cardId=${alice.cardId}`]) {
      const refused = await alice.ask('GET', `/user/statement?${query}`)
      expect([refused.status, refused.body.error]).toEqual([401, 'ACCESS_REVOKED'])
      expect((await exported(alice, `?${query}`)).status).toBe(401)
    }
  })

  test.each([
    ['card_transaction', 'card_transaction_pkey'],
    ['deposit', 'deposit_created_at'],
    ['withdrawal', 'withdrawal_created_at'],
    ['card', 'card_transaction_card'],
  ])('a statement filtered by %s reads one range of an index in order', async (name, index) => {
    const { alice } = await newSpender()
    for (const table of ['card_transaction', 'deposit', 'withdrawal', 'statement_item']) {
      await service.ctx.db.query(`analyze ${table}`)
    }
    let plan = ''
    const db = {
      eachRow: async (text: string, values: readonly unknown[]) => {
        const client = new pg.Client(service.connection)
        await client.connect()
        // A cluster passes settings of a transaction on to its nodes.
        await client.query(`begin; set local citus.propagate_set_commands = 'local'`)
        // The tables of a test are so small that PostgreSQL would read them whole.
        for (const way of ['seqscan', 'sort', 'bitmapscan']) await client.query(`set local enable_${way} = off`)
        const { rows } = await client.query(`explain ${text}`, [...values])
        await client.end()
        plan = rows.map((row) => Object.values(row).join(' ')).join('\n')
      },
    }
    const of = name === 'card' ? { type: null, cardId: alice.cardId } : { type: name as 'deposit', cardId: null }
    const filters = { start: new Date(0), end: null, ...of }
    const after = { createdAt: new Date('9000-01-01T00:00:00Z'), itemId: randomUUID() }
    await eachReadableItem(db, callerOf(alice.token), { filters, after, limit: 11 }, () => {})
    expect(plan).toContain(index)
    expect(plan).toContain('statement_item_pkey')
  })
})

describe('the statement as CSV', () => {
  test('the CSV has every item of the JSON pages, in the same order', async () => {
    const { alice } = await newSpender()
    await alice.send('authorization', '2.00', { authorization_code: 'CLEARD', merchant_city: 'Berlin' })
    await alice.send('clearing', '2.00', { authorization_code: 'CLEARD' })
    const answer = await exported(alice)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(answer.headers.get('content-disposition')).toContain('statement.csv')
    const records = recordsOf(answer.text)
    const items = await readAll(alice)
    expect(records.map(({ id }) => id)).toEqual(items.map(({ id }) => id))
    expect(answer.text.split('\r\n')[0]).toBe(columns.join(','))
    expect(records).toEqual(items.map(recordOf))
    const empty = columns.filter((column) => records.every((record) => record[column] === ''))
    expect(empty).toEqual([])
    expect(answer.text).toContain(`"'=Shop ""0"";`)
  })

  test('the CSV with filters has the items of the filtered pages', async () => {
    const { alice, second } = await newSpender()
    for (const query of [{ type: 'deposit' }, { cardId: second }, { type: 'withdrawal', limit: '1' }]) {
      const wanted = (await readAll(alice, query)).map(({ id }) => id)
      const records = recordsOf((await exported(alice, `?${new URLSearchParams(query)}`)).text)
      expect(records.map(({ id }) => id)).toEqual(wanted)
    }
  })

  test('the CSV of several hundred items is complete', async () => {
    const { alice } = await world()
    const items = Array.from({ length: 350 }, (_, i) => {
      const createdAt = new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString()
      return { type: 'deposit', id: randomUUID(), amount: '1', decimals: 18, createdAt, description: `Deposit ${i}` }
    })
    await service.ctx.db.query(
      `-- by a test
       insert into statement_item (user_id, created_at, item_id, item)
       select $1, (item->>'createdAt')::timestamptz, (item->>'id')::uuid, item::text from json_array_elements($2) item`,
      [alice.userId, JSON.stringify(items)],
    )
    const records = recordsOf((await exported(alice)).text)
    expect(records.map(({ id }) => id)).toEqual(items.map(({ id }) => id).reverse())
  })

  test('the CSV of an account without items has only the header line', async () => {
    const { alice } = await world()
    expect((await exported(alice)).text).toMatch(/^type,id,status,[a-zA-Z,]+\r\n$/)
  })

  test('a CSV export fails as a JSON page does', async () => {
    const { alice } = await world()
    const refused = await exported(alice, '?startDate=2026-01-02&endDate=2026-01-01')
    expect([refused.status, refused.body.error]).toEqual([400, 'INVALID_DATE_RANGE'])
    expect((await exported(alice, '?type=x')).status).toBe(400)
    const anonymous = await service.request('GET', '/user/statement', { headers: { accept: 'text/csv' } })
    expect(anonymous.status).toBe(401)
  })

  test('a CSV export that its reader abandons no longer counts as running', async () => {
    const { alice } = await newSpender()
    const request = () =>
      fetch(`${service.url}/user/statement`, {
        headers: { authorization: `Bearer ${alice.token}`, accept: 'text/csv' },
      })
    for (let i = 0; i < 6; i++) {
      const response = await request()
      expect([200, 429]).toContain(response.status)
      await response.body?.cancel()
    }
    await expect.poll(async () => (await exported(alice)).status).toBe(200)
  })

  test('concurrent CSV exports of a user succeed or get 429', async () => {
    const { alice } = await newSpender()
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => exported(alice)))).map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true)
    expect((await exported(alice)).status).toBe(200)
  })

  test('the CSV is not sent to a client that asks for JSON', async () => {
    const { alice } = await newSpender()
    for (const accept of ['application/json', '*/*', 'text/html, */*']) {
      const answer = await alice.ask('GET', '/user/statement', undefined, { accept })
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })
})
