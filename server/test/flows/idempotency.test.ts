import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type TestUser, useService } from '../support/service.ts'

const service = useService()
let user: TestUser
beforeAll(async () => {
  user = await service.newUser()
})
const phone = '+4915123456789'

function post(path: string, body: object, key?: string, token = user.token) {
  return service.request('POST', path, { token, body, headers: key === undefined ? {} : { 'idempotency-key': key } })
}

async function fund(userId: string): Promise<string> {
  const [token] = service.ctx.config.tokens
  if (!token) throw new Error('no token')
  const amount = `100${'0'.repeat(token.decimals)}`
  expect((await service.sandbox('POST', '/deposits', { userId, token: token.address, amount })).status).toBe(201)
  return token.address
}

async function countCards(): Promise<number> {
  return (await service.request('GET', '/cards', { token: user.token })).body.data.length
}

test('a repeated request returns the stored response byte for byte and runs once', async () => {
  const before = await countCards()
  const key = randomUUID()
  const first = await post('/cards/virtual', { cardName: 'Once', phone }, key)
  const again = await post('/cards/virtual', { cardName: 'Once', phone }, key)
  expect(first.status).toBe(201)
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
  expect(await countCards()).toBe(before + 1)
})

test('an idempotency key that is reused with another body or path is rejected with 422', async () => {
  const key = randomUUID()
  expect((await post('/cards/virtual', { cardName: 'One' }, key)).status).toBe(201)
  const otherBody = await post('/cards/virtual', { cardName: 'Two' }, key)
  expect([otherBody.status, otherBody.body]).toEqual([422, { success: false, error: 'IDEMPOTENCY_KEY_REUSED' }])
  const tokenAddress = await fund(user.userId)
  const otherPath = await post('/user/withdrawal', { tokenAddress, amount: '1' }, key)
  expect([otherPath.status, otherPath.body]).toEqual([422, { success: false, error: 'IDEMPOTENCY_KEY_REUSED' }])
})

test('a stored rejection is returned even after its reason has disappeared', async () => {
  const poor = await service.newUser()
  const [token] = service.ctx.config.tokens
  const key = randomUUID()
  const body = { tokenAddress: token?.address, amount: '5' }
  const rejected = await post('/user/withdrawal', body, key, poor.token)
  expect([rejected.status, rejected.body.error]).toEqual([422, 'INSUFFICIENT_FUNDS'])
  await fund(poor.userId)
  const again = await post('/user/withdrawal', body, key, poor.token)
  expect([again.status, again.text]).toEqual([422, rejected.text])
  expect((await post('/user/withdrawal', body, randomUUID(), poor.token)).status).toBe(201)
})

test('a corrected request succeeds under the idempotency key of a request that got 400', async () => {
  const key = randomUUID()
  expect((await post('/cards/virtual', { cardName: '   ' }, key)).status).toBe(400)
  expect((await post('/cards/virtual', { cardName: 'Corrected' }, key)).status).toBe(201)
})

test('fifty concurrent withdrawals with one idempotency key make one withdrawal and get identical responses', async () => {
  const rich = await service.newUser()
  const tokenAddress = await fund(rich.userId)
  const key = randomUUID()
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => post('/user/withdrawal', { tokenAddress, amount: '1000' }, key, rich.token)),
  )
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(responses[0]?.status).toBe(201)
  const statement = await service.request('GET', '/user/statement', { token: rich.token })
  expect(statement.body.data.filter((item: { type: string }) => item.type === 'withdrawal')).toHaveLength(1)
})

test('concurrent card creations with one idempotency key create one card, and each request gets its response or 409', async () => {
  const before = await countCards()
  const key = randomUUID()
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => post('/cards/virtual', { cardName: 'Race' }, key)),
  )
  for (const { status } of responses) expect([201, 409]).toContain(status)
  expect(responses.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
  expect(new Set(responses.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1)
  expect(await countCards()).toBe(before + 1)
})

test('two users can use the same idempotency key independently', async () => {
  const other = await service.newUser()
  const key = randomUUID()
  const order = (token: string) => post('/cards/virtual', { cardName: 'Same', phone }, key, token)
  const [mine, theirs] = [await order(user.token), await order(other.token)]
  expect([mine.status, theirs.status]).toEqual([201, 201])
  expect(theirs.body.cardId).not.toBe(mine.body.cardId)
  expect([(await order(user.token)).text, (await order(other.token)).text]).toEqual([mine.text, theirs.text])
  const { body } = await service.request('GET', '/cards', { token: other.token })
  expect(body.data).toHaveLength(1)
})

test('a repeated request to the simulator returns the stored response', async () => {
  const [token] = service.ctx.config.tokens
  const body = { userId: user.userId, token: token?.address, amount: '777' }
  const headers = { 'idempotency-key': randomUUID() }
  const first = await service.sandbox('POST', '/deposits', body, headers)
  const again = await service.sandbox('POST', '/deposits', body, headers)
  expect(first.status).toBe(201)
  expect(again.text).toBe(first.text)
})

test('a wallet that lost its access does not get the stored response', async () => {
  const closing = await service.newUser()
  const key = randomUUID()
  expect((await post('/cards/virtual', { cardName: 'Mine', phone }, key, closing.token)).status).toBe(201)
  await service.ctx.db.query("update app_user set status = 'closed' where user_id = $1", [closing.userId])
  const again = await post('/cards/virtual', { cardName: 'Mine', phone }, key, closing.token)
  expect([again.status, again.body]).toEqual([401, { success: false, error: 'ACCESS_REVOKED' }])
})

test('an idempotency key with more than 255 characters is rejected as invalid', async () => {
  const response = await post('/cards/virtual', { cardName: 'Long' }, 'k'.repeat(256))
  expect([response.status, response.body.kind]).toEqual([400, 'validation'])
})
