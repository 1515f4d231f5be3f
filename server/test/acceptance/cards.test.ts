import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, type User } from './client.ts'
import { type Money, money, phone } from './money.ts'
import { expectValidation, instant, plain, uuid } from './shapes.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  client = await connect()
  bank = await money(client)
})
afterAll(() => client.stop())

const create = (user: User, body: unknown) => client.request('POST', '/cards/virtual', { token: user.token, body })
const act = (user: User, cardId: string, verb: string) =>
  client.request('POST', `/cards/${cardId}/${verb}`, { token: user.token })
const read = async (user: User, cardId: string) =>
  (await client.request('GET', `/cards/${cardId}`, { token: user.token })).body
const sandboxCard = (cardId: string, path: string, body: object) =>
  client.sandbox('POST', `/cards/${cardId}/${path}`, body)

test('the first card of a user requires a phone number, and later cards do not', async () => {
  const user = await client.newUser()
  const rejected = await create(user, { cardName: 'First' })
  expect([rejected.status, rejected.text]).toEqual([422, '{"success":false,"error":"PHONE_REQUIRED"}'])
  for (const body of [{ cardName: 'First', phone }, { cardName: 'Second' }]) {
    const made = await create(user, body)
    expect([made.status, made.body]).toEqual([201, { cardId: expect.stringMatching(uuid) }])
  }
})

test('a new card is active at once, and its responses never contain the card number', async () => {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  const card = await read(user, cardId)
  expect(card).toMatchObject({
    cardId,
    cardName: 'Everyday',
    type: 'virtual',
    status: 'active',
    last4: expect.stringMatching(/^\d{4}$/),
    createdAt: expect.stringMatching(instant),
  })
  expect(Number(card.expiryMonth)).toBeGreaterThanOrEqual(1)
  expect(Number(card.expiryMonth)).toBeLessThanOrEqual(12)
  expect(Number(card.expiryYear)).toBeGreaterThan(new Date().getFullYear() % 100)
  expect(JSON.stringify(card)).not.toMatch(/\d{12,19}|cvv|pan"/i)
  const list = await client.request('GET', '/cards', { token: user.token })
  expect([list.status, list.body]).toEqual([200, { data: [card] }])
})

test('a card name has 1 to 50 characters after surrounding spaces are trimmed', async () => {
  const user = await client.newUser()
  for (const cardName of ['', '   ', 'x'.repeat(51), 7, null, undefined, ['a']]) {
    expectValidation(await create(user, { cardName, phone }))
  }
  const maxName = 'Ж'.repeat(50)
  const { body } = await create(user, { cardName: `  ${maxName}\t`, phone })
  expect((await read(user, body.cardId)).cardName).toBe(maxName)
})

test('unknown fields of a new card are ignored', async () => {
  const user = await client.newUser()
  expect((await create(user, { cardName: 'Mine', phone, colour: 'red', status: 'blocked' })).status).toBe(201)
})

test('a card requires a verified identity and an active account', async () => {
  const user = await client.newUser()
  const refusal = async (change: object) => {
    expect((await client.sandbox('PATCH', `/users/${user.userId}`, change)).status).toBe(200)
    const { status, body } = await create(user, { cardName: 'Mine', phone })
    return [status, body.error]
  }
  expect(await refusal({ kyc: 'pending' })).toEqual([422, 'KYC_NOT_APPROVED'])
  expect(await refusal({ kyc: 'approved', accountStatus: 'blocked' })).toEqual([422, 'ACCOUNT_NOT_ACTIVE'])
})

test('a user can have five cards at once, even with parallel requests, and a new one after canceling one', async () => {
  const user = await client.newUser()
  const first = await bank.newCard(user)
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => create(user, { cardName: `Card ${i}` })))
  const rejected = answers.filter(({ status }) => status !== 201)
  expect(rejected.map(({ status, body }) => [status, body.error])).toEqual(Array(6).fill([422, 'CARD_LIMIT_REACHED']))
  expect((await client.request('GET', '/cards', { token: user.token })).body.data).toHaveLength(5)
  expect((await act(user, first, 'cancel')).status).toBe(200)
  expect((await create(user, { cardName: 'Room' })).status).toBe(201)
})

test('an owner can block and unblock a card any number of times', async () => {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  await bank.deposit(user, 10n ** 20n)
  for (let i = 0; i < 2; i++) {
    expect((await act(user, cardId, 'block')).status).toBe(200)
    expect((await read(user, cardId)).status).toBe('blocked')
  }
  expect((await bank.card(cardId, 'authorization')).body).toMatchObject({ status: 'denied', denial_code: 'UBT' })
  for (let i = 0; i < 2; i++) {
    const answer = await act(user, cardId, 'unblock')
    expect([answer.status, answer.body]).toEqual([200, { success: true, cardId, status: 'active' }])
  }
  expect((await bank.card(cardId, 'authorization')).body.status).toBe('approved')
})

test('a card can be unblocked without a body, with an empty body and with an empty object', async () => {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[]) {
    const answer = await client.request('POST', `/cards/${cardId}/unblock`, { token: user.token, headers })
    expect(answer.status).toBe(200)
  }
  const withBody = await client.request('POST', `/cards/${cardId}/unblock`, { token: user.token, body: {} })
  expect(withBody.status).toBe(200)
})

test('an owner cannot unblock a card that the issuer or compliance blocked', async () => {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  for (const by of ['issuer', 'compliance']) expect((await sandboxCard(cardId, 'block', { by })).status).toBe(200)
  await act(user, cardId, 'block')
  const rejection = [403, plain('BLOCKED_BY_ISSUER')]
  for (const by of ['issuer', 'compliance']) {
    const answer = await act(user, cardId, 'unblock')
    expect([answer.status, answer.body]).toEqual(rejection)
    expect((await sandboxCard(cardId, 'unblock', { by })).status).toBe(200)
  }
  // The rejected requests removed the owner's own block, so no block is left.
  expect((await act(user, cardId, 'unblock')).status).toBe(200)
  expect((await read(user, cardId)).status).toBe('active')
})

test('a card that has ended or is not yet active can be neither blocked nor unblocked', async () => {
  const user = await client.newUser()
  const ends = ['lost', 'stolen', 'expired', 'canceled', 'provisioning']
  for (const status of ends) {
    const { cardId } = (await create(user, { cardName: status, phone })).body
    if (status === 'canceled') expect((await act(user, cardId, 'cancel')).status).toBe(200)
    else expect((await sandboxCard(cardId, 'status', { status })).status).toBe(200)
    expect((await read(user, cardId)).status).toBe(status)
    const answer = await act(user, cardId, 'unblock')
    expect([answer.status, answer.body], status).toEqual([422, plain('INVALID_CARD_STATUS')])
    expect((await act(user, cardId, 'block')).status, status).toBe(422)
    if (status === 'provisioning') await sandboxCard(cardId, 'status', { status: 'active' })
  }
})

test('requests for another user’s card get the same response as for a card that does not exist', async () => {
  const [owner, stranger] = [await client.newUser(), await client.newUser()]
  const cardId = await bank.newCard(owner)
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/block'],
    ['POST', '/unblock'],
    ['POST', '/cancel'],
  ] as const) {
    const asked = (id: string) => client.request(method, `/cards/${id}${path}`, { token: stranger.token })
    const [theirs, unknown] = [await asked(cardId), await asked(randomUUID())]
    expect([theirs.status, theirs.text]).toEqual([404, '{"success":false,"error":"CARD_NOT_FOUND"}'])
    expect([unknown.status, unknown.text]).toEqual([theirs.status, theirs.text])
    expectValidation(await asked('not-a-uuid'))
  }
  expect((await read(owner, cardId)).status).toBe('active')
  expect((await client.request('GET', '/cards', { token: stranger.token })).body).toEqual({ data: [] })
})

test('clearings, refunds and reversals of a blocked or canceled card are still posted', async () => {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  await bank.deposit(user, 10n ** 20n)
  const codes = ['BLOCK1', 'BLOCK2', 'BLOCK3']
  for (const authorization_code of codes) await bank.card(cardId, 'authorization', { authorization_code })
  await act(user, cardId, 'block')
  await bank.card(cardId, 'clearing', { authorization_code: 'BLOCK1' })
  await bank.card(cardId, 'reversal', { authorization_code: 'BLOCK2' })
  await act(user, cardId, 'cancel')
  await bank.card(cardId, 'refund', { authorization_code: 'BLOCK1' })
  await bank.card(cardId, 'clearing', { authorization_code: 'BLOCK3' })
  expect((await bank.balance(user)).spendable).toBe(String(90n * 10n ** 18n))
  await bank.assertBooks(user)
})
