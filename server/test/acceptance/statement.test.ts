import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, type User } from './client.ts'
import { type Money, money } from './money.ts'
import { expectValidation } from './shapes.ts'

let client: Client
let bank: Money
/** One user with a card, deposits, payments and a withdrawal. The tests only read the items of this user. */
let user: User
let all: any[]

beforeAll(async () => {
  client = await connect()
  bank = await money(client)
  user = await client.newUser()
  const cardId = await bank.newCard(user)
  for (let i = 1; i <= 8; i++) await bank.deposit(user, 10n ** 18n * BigInt(i + 1))
  for (let i = 1; i <= 8; i++) await bank.card(cardId, 'authorization', { amount: `${i}.00` })
  await bank.card(cardId, 'authorization', { amount: '9999.00' })
  const body = { tokenAddress: bank.tokenOf('EUR').address, amount: '1' }
  await client.request('POST', '/user/withdrawal', { token: user.token, body })
  all = await bank.statement(user)
})
afterAll(() => client.stop())

const read = (query: string, who = user) => client.request('GET', `/user/statement?${query}`, { token: who.token })
const ids = (answer: { body: any }) => answer.body.data.map((item: any) => item.id)
const encoded = encodeURIComponent
const pageAfter = async (query: string) => (await read(query)).body.pagination.nextCursor

function expectBusiness(answer: { status: number; body: any }) {
  expect([answer.status, answer.body]).toEqual([
    400,
    { kind: 'business', success: false, error: expect.stringMatching(/^[A-Z_]+$/) },
  ])
}

test('the statement lists every deposit, withdrawal and card transaction, even a declined one, newest first', () => {
  expect(all).toHaveLength(18)
  const keys = all.map(({ createdAt, id }) => `${createdAt} ${id}`)
  expect(keys).toEqual([...keys].sort().reverse())
  expect(new Set(all.map(({ id }) => id)).size).toBe(18)
  const states = all.map(({ type, status }) => `${type} ${status}`)
  expect(states.filter((state) => state === 'card_transaction declined')).toHaveLength(1)
  expect(states.filter((state) => state === 'deposit approved')).toHaveLength(8)
  expect(states.filter((state) => state.startsWith('withdrawal'))).toHaveLength(1)
})

test('the last page of a statement has the documented fields and no next cursor', async () => {
  const answer = await read('')
  expect(Object.keys(answer.body)).toEqual(['data', 'pagination'])
  expect(answer.body.pagination).toStrictEqual({ nextCursor: null, hasNext: false })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
})

test('statement pages of any size return every item once, in order', async () => {
  for (const limit of [1, 5, 17, 18, 100]) {
    const seen: string[] = []
    let answer = await read(`limit=${limit}`)
    for (;;) {
      seen.push(...ids(answer))
      const { nextCursor, hasNext } = answer.body.pagination
      expect(hasNext).toBe(nextCursor !== null)
      if (nextCursor === null) break
      expect(answer.body.data).toHaveLength(limit)
      answer = await read(`limit=${limit}&cursor=${encoded(nextCursor)}`)
    }
    expect(seen, `limit ${limit}`).toEqual(all.map(({ id }) => id))
  }
})

test('the limit of a statement page is 1 to 100 and may change between pages', async () => {
  const cursor = await pageAfter('limit=3')
  expect(ids(await read(`limit=7&cursor=${encoded(cursor)}`))).toEqual(all.slice(3, 10).map(({ id }) => id))
  for (const limit of [
    '0',
    '101',
    '-1',
    '1.5',
    'ten',
    '',
    '%00',
    '99999999999999999999',
    '0x5',
    '5e0',
    '5.0',
    '+5',
    '%205',
  ]) {
    expectValidation(await read(`limit=${limit}`))
  }
  expectValidation(await read('limit=1&limit=2'))
})

test('unknown query parameters of the statement are ignored', async () => {
  expect((await read('colour=red&__proto__=1')).status).toBe(200)
})

test('the date range of a statement includes both ends, to the millisecond', async () => {
  const { createdAt } = all[8]
  const at = (item: any) => item.createdAt
  const within = async (query: string) => (await read(query)).body.data.map(at)
  const expected = (includes: (at: string) => boolean) => all.map(at).filter(includes)
  expect(await within(`startDate=${createdAt}`)).toEqual(expected((time) => time >= createdAt))
  expect(await within(`endDate=${createdAt}`)).toEqual(expected((time) => time <= createdAt))
  expect(await within(`startDate=${createdAt}&endDate=${createdAt}`)).toEqual(expected((time) => time === createdAt))
  const next = new Date(Date.parse(createdAt) + 1).toISOString()
  expect(await within(`startDate=${next}`)).toEqual(expected((time) => time > createdAt))
  const shifted = createdAt.replace('Z', '+00:00')
  expect(await within(`startDate=${encoded(shifted)}`)).toEqual(expected((time) => time >= createdAt))
})

test('a date without a time covers its whole day in UTC', async () => {
  const [first, last] = [all.at(-1).createdAt.slice(0, 10), all[0].createdAt.slice(0, 10)]
  expect(ids(await read(`startDate=${first}&endDate=${last}`))).toHaveLength(18)
  expect(ids(await read('startDate=2020-01-01&endDate=2020-12-31'))).toEqual([])
  expect(ids(await read('endDate=2020-12-31'))).toEqual([])
})

test('an invalid time gets a validation error, and a reversed date range gets a business error', async () => {
  const wrong = ['yesterday', '2026-02-30', '2026-13-01T00:00:00Z', '20260101', '', '0', '2026-01-01T25:00:00Z']
  for (const startDate of wrong) expectValidation(await read(`startDate=${startDate}`))
  expectBusiness(await read('startDate=2026-02-01&endDate=2026-01-31'))
  expect((await read('startDate=2026-01-31&endDate=2026-01-31')).status).toBe(200)
})

test('the filters of a statement cursor may be repeated or omitted but not changed', async () => {
  const filters = `startDate=${all.at(-1).createdAt}&endDate=${all[2].createdAt}`
  const cursor = encoded(await pageAfter(`limit=4&${filters}`))
  const [left, repeated] = [await read(`limit=4&cursor=${cursor}`), await read(`limit=4&cursor=${cursor}&${filters}`)]
  expect(left.text).toBe(repeated.text)
  expectBusiness(await read(`cursor=${cursor}&startDate=2020-01-01`))
  expectBusiness(await read(`cursor=${cursor}&${filters.replace('endDate', 'colour')}&endDate=2030-01-01`))
  const plainCursor = encoded(await pageAfter('limit=4'))
  expectBusiness(await read(`cursor=${plainCursor}&${filters}`))
})

test('an altered or invented statement cursor and the cursor of another user are rejected', async () => {
  const cursor: string = await pageAfter('limit=2')
  const swap = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
  const altered = [0, Math.floor(cursor.length / 2), cursor.length - 6].map((at) => swap(cursor, at))
  for (const wrong of [...altered, cursor.slice(0, -4), `${cursor}AAAA`, 'x', '', 'null', '💰', 'a'.repeat(3000)]) {
    expectBusiness(await read(`cursor=${encoded(wrong)}`))
  }
  expectBusiness(await read(`cursor=${encoded(cursor)}`, await client.newUser()))
  expect((await read(`cursor=${encoded(cursor)}`)).status).toBe(200)
})

test('statement items added during paging neither repeat nor hide other items', async () => {
  const reader = await client.newUser()
  for (let i = 1; i <= 6; i++) await bank.deposit(reader, BigInt(i))
  const before = (await bank.statement(reader)).map(({ id }) => id)
  let answer = await read('limit=2', reader)
  const seen = ids(answer)
  while (answer.body.pagination.nextCursor !== null) {
    await bank.deposit(reader, 100n)
    answer = await read(`limit=2&cursor=${encoded(answer.body.pagination.nextCursor)}`, reader)
    seen.push(...ids(answer))
  }
  expect(seen).toEqual(before)
})

test('the statement of a new account is an empty page', async () => {
  const answer = await read('', await client.newUser())
  expect([answer.status, answer.text]).toEqual([200, '{"data":[],"pagination":{"nextCursor":null,"hasNext":false}}'])
})

test('a statement request without an access token gets 401', async () => {
  const answer = await client.request('GET', '/user/statement')
  expect([answer.status, answer.text]).toEqual([401, '{"success":false,"error":"UNAUTHORIZED"}'])
})
