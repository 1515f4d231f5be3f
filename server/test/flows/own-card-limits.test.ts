import { afterEach, expect, test } from 'vitest'
import { plainError, startService, type TestService } from '../support/service.ts'
import { newCardholder, type Person } from '../support/world.ts'

let service: TestService
afterEach(() => service.stop())

async function newHolder(limits: object = {}): Promise<Person> {
  service = await startService({ worker: false, env: { CARD_LIMITS: JSON.stringify(limits) } })
  return newCardholder(service, 1000)
}

const limitsOf = (person: Person, cardId = person.cardId) => person.ask('GET', `/cards/${cardId}/limits`)
const setLimits = (person: Person, perTransaction: unknown, daily: unknown, cardId = person.cardId) =>
  person.ask('PUT', `/cards/${cardId}/limits`, { perTransaction, daily })

/** Makes a purchase with its own authorization code. Returns the decline code, or null. */
async function buy(person: Person, amount: string, more: object = {}): Promise<string | null> {
  const { body } = await person.send('authorization', amount, { authorization_code: undefined, ...more })
  return body.denial_code ?? null
}

test('a card without own limits shows those of the programme', async () => {
  const alice = await newHolder({ perTransaction: { EUR: '10000' } })
  const none = { perTransaction: null, daily: null }
  const programme = { perTransaction: '10000', daily: null }
  expect((await limitsOf(alice)).body).toEqual({ currency: 'EUR', decimals: 2, ...none, programme })
})

test('a payment or increment that exceeds the limit of the owner per transaction is declined, and a clearing is not', async () => {
  const alice = await newHolder()
  expect((await setLimits(alice, '5000', null)).body).toMatchObject({ perTransaction: '5000', daily: null })
  expect(await buy(alice, '50.01')).toBe('LIM')
  expect((await alice.send('authorization', '50.00')).body.status).toBe('approved')
  expect((await alice.send('incremental', '0.01')).body).toMatchObject({ denial_code: 'LIM' })
  expect((await alice.send('clearing', '60.00')).body.status).toBe('approved')
  await setLimits(alice, null, null)
  expect(await buy(alice, '200.00')).toBe(null)
})

test('the daily limit of the owner covers 24 hours of one card, and no other card', async () => {
  const alice = await newHolder()
  const second = (await alice.ask('POST', '/cards/virtual', { cardName: 'Two' })).body.cardId
  await setLimits(alice, null, '10000')
  expect(await buy(alice, '90.00', { card_id: second })).toBe(null)
  expect(await buy(alice, '60.00')).toBe(null)
  expect(await buy(alice, '40.01')).toBe('LIM')
  expect(await buy(alice, '40.00')).toBe(null)
  expect(await buy(alice, '0.01')).toBe('LIM')
  expect(await buy(alice, '0.01', { card_id: second })).toBe(null)
  await service.advance(24 * 3600 + 1)
  expect(await buy(alice, '100.00')).toBe(null)
})

test("a limit of the owner never lifts the programme's", async () => {
  const alice = await newHolder({ perTransaction: { EUR: '10000' }, daily: { EUR: '20000' } })
  expect((await setLimits(alice, '10001', null)).body.error).toBe('LIMIT_ABOVE_PROGRAMME')
  expect((await setLimits(alice, null, '20001')).status).toBe(422)
  expect((await limitsOf(alice)).body).toMatchObject({ perTransaction: null, daily: null })
  expect((await setLimits(alice, '10000', '20000')).status).toBe(200)
  expect(await buy(alice, '100.01')).toBe('LIM')
  expect(await buy(alice, '100.00')).toBe(null)
})

test('a limit of zero declines every payment that costs something', async () => {
  const alice = await newHolder()
  await setLimits(alice, '0', '0')
  expect(await buy(alice, '0.01')).toBe('LIM')
  expect(await buy(alice, '0.00')).toBe(null)
})

test('invalid limits are rejected, and the largest valid limit is accepted', async () => {
  const alice = await newHolder()
  for (const bad of ['-1', '1.5', '01', '1e3', '', ' 1', '9'.repeat(31), 1, true, {}, undefined]) {
    expect((await setLimits(alice, bad, null)).status, String(bad)).toBe(400)
    expect((await setLimits(alice, null, bad)).status, String(bad)).toBe(400)
  }
  expect((await setLimits(alice, '9'.repeat(30), null)).status).toBe(200)
})

test("requests to read or set the limits of another user's card, to rename it or to report it get 404", async () => {
  const alice = await newHolder()
  const bob = await newCardholder(service)
  for (const cardId of [alice.cardId, '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a']) {
    for (const refused of [
      await limitsOf(bob, cardId),
      await setLimits(bob, '1', '1', cardId),
      await bob.ask('PATCH', `/cards/${cardId}`, { cardName: 'Mine' }),
      await bob.ask('POST', `/cards/${cardId}/report`, { reason: 'stolen' }),
    ]) {
      expect([refused.status, refused.body]).toEqual(plainError(404, 'CARD_NOT_FOUND'))
    }
  }
  expect((await limitsOf(alice)).body.perTransaction).toBeNull()
  expect((await alice.ask('GET', `/cards/${alice.cardId}`)).body).toMatchObject({
    cardName: 'Everyday',
    status: 'active',
  })
})

test('an owner renames a card', async () => {
  const alice = await newHolder()
  const renamed = await alice.ask('PATCH', `/cards/${alice.cardId}`, { cardName: '  Travel ✈ ' })
  expect([renamed.status, renamed.body.cardName]).toEqual([200, 'Travel ✈'])
  expect((await alice.ask('GET', `/cards/${alice.cardId}`)).body).toEqual(renamed.body)
  for (const cardName of ['', '   ', 'x'.repeat(51), 'a\u0000b', 7]) {
    expect((await alice.ask('PATCH', `/cards/${alice.cardId}`, { cardName })).status).toBe(400)
  }
})

test('concurrent payments cannot exceed the daily limit of a card together', async () => {
  const alice = await newHolder()
  await setLimits(alice, null, '10000')
  const paid = await Promise.all(
    Array.from({ length: 8 }, () => alice.try('authorization', '30.00', { authorization_code: undefined })),
  )
  expect(paid.filter(({ body }) => body.status === 'approved')).toHaveLength(3)
})
