import { afterEach, expect, test } from 'vitest'
import { createTestDatabase, startService, type TestService } from '../support/service.ts'
import { newCardholder, type Person } from '../support/world.ts'

let service: TestService
afterEach(() => service.stop())

const cardholder = () => newCardholder(service, 1000)

const startWith = async (limits: object, connection?: TestService['connection']) => {
  const env = { CARD_LIMITS: JSON.stringify(limits) }
  service = await startService({ worker: false, env, ...(connection ? { connection } : {}) })
}

/** Makes a purchase with its own authorization code. Returns the decline code, or null. */
async function buy(holder: Person, amount: string, more: object = {}): Promise<string | null> {
  const { body } = await holder.send('authorization', amount, { authorization_code: undefined, ...more })
  return body.denial_code ?? null
}

test('card payments have no limits unless configured', async () => {
  service = await startService({ worker: false })
  const holder = await cardholder()
  const atKiosk = { merchant_code: '7995', merchant_country: 'KP' }
  for (let i = 0; i < 10; i++) expect(await buy(holder, '99.00', atKiosk)).toBe(null)
})

test('the limit per payment counts later increments, but never stops a clearing', async () => {
  await startWith({ perTransaction: { EUR: '10000' } })
  const holder = await cardholder()
  expect(await buy(holder, '100.01')).toBe('LIM')
  expect(await buy(holder, '100.00')).toBe(null)
  expect((await holder.send('authorization', '60.00')).body.status).toBe('approved')
  expect((await holder.send('incremental', '40.01')).body).toMatchObject({ denial_code: 'LIM' })
  expect((await holder.send('incremental', '40.00')).body.status).toBe('approved')
  const raise = { replacement_amount: '100.01' }
  expect((await holder.send('replacement', null, raise)).body).toMatchObject({ denial_code: 'LIM' })
  expect((await holder.send('clearing', '120.00')).body.status).toBe('approved')
  expect(await holder.money()).toEqual({ own: 78_000n, held: 10_000n, network: 12_000n })
})

test('the daily limit covers 24 hours of all cards of a user, without reversed amounts', async () => {
  await startWith({ daily: { EUR: '10000' } })
  const holder = await cardholder()
  const second = await service.request('POST', '/cards/virtual', {
    token: holder.token,
    body: { cardName: 'Two' },
  })
  expect(await buy(holder, '60.00')).toBe(null)
  expect(await buy(holder, '40.01', { card_id: second.body.cardId })).toBe('LIM')
  expect((await holder.send('authorization', '40.00')).body.status).toBe('approved')
  expect(await buy(holder, '0.01')).toBe('LIM')
  await holder.send('reversal')
  await service.advance(12 * 3600)
  expect(await buy(holder, '40.00')).toBe(null)
  expect(await buy(holder, '0.01')).toBe('LIM')
  await service.advance(12 * 3600 + 1)
  expect(await buy(holder, '60.00')).toBe(null)
  expect(await buy(holder, '0.01')).toBe('LIM')
})

test('an increment counts with its whole payment against the daily limit, even after a day', async () => {
  await startWith({ daily: { EUR: '10000' } })
  const young = await cardholder()
  await young.send('authorization', '60.00')
  expect((await young.send('incremental', '40.01')).body).toMatchObject({ denial_code: 'LIM' })
  expect((await young.send('incremental', '40.00')).body.status).toBe('approved')

  const holder = await cardholder()
  await holder.send('authorization', '60.00')
  await service.advance(25 * 3600)
  expect((await holder.send('incremental', '40.01')).body).toMatchObject({ denial_code: 'LIM' })
  expect((await holder.send('incremental', '40.00')).body.status).toBe('approved')
})

test('the limits of a merchant category apply in addition to the general limits', async () => {
  await startWith({
    daily: { EUR: '50000' },
    merchantTypes: { 6011: { perTransaction: { EUR: '20000' }, daily: { EUR: '30000' } } },
  })
  const holder = await cardholder()
  const atMachine = { merchant_code: '6011' }
  expect(await buy(holder, '200.01', atMachine)).toBe('LIM')
  expect(await buy(holder, '200.00', atMachine)).toBe(null)
  const single = { ...atMachine, authorization_code: undefined }
  expect((await holder.send('single_message', '100.01', single)).body).toMatchObject({ denial_code: 'LIM' })
  expect((await holder.send('single_message', '100.00', single)).body.status).toBe('approved')
  expect(await buy(holder, '200.00')).toBe(null)
  expect(await buy(holder, '0.01')).toBe('LIM')
})

test('purchases in excluded merchant categories and countries are declined, with the reason on the statement', async () => {
  await startWith({ refusedMerchantTypes: ['7995', '6050-6051'], refusedCountries: ['KP'] })
  const holder = await cardholder()
  expect(await buy(holder, '1.00', { merchant_code: '7995', merchant_country: 'KP' })).toBe('MCC')
  expect(await buy(holder, '1.00', { merchant_code: '6051' })).toBe('MCC')
  expect(await buy(holder, '1.00', { merchant_country: 'KP' })).toBe('CTY')
  expect(await buy(holder, '1.00', { merchant_code: '6052', merchant_country: 'KR' })).toBe(null)
  expect((await holder.cardRows()).map(({ status, declineReason }) => [status, declineReason?.message])).toEqual([
    ['declined', 'Merchant type not allowed'],
    ['declined', 'Merchant type not allowed'],
    ['declined', 'Country not allowed'],
    ['pending', undefined],
  ])
})

test('the velocity limit counts declined authorizations but not its own declines, and ends with its window', async () => {
  await startWith({ velocity: { authorizations: 3, seconds: 60 } })
  const holder = await cardholder()
  expect(await buy(holder, '1.00')).toBe(null)
  expect(await buy(holder, '5000.00')).toBe('810')
  expect((await holder.send('authorization', '1.00')).body.status).toBe('approved')
  expect(await buy(holder, '1.00')).toBe('VEL')
  expect((await holder.send('incremental', '1.00')).body.status).toBe('approved')
  await service.advance(40)
  for (let i = 0; i < 3; i++) expect(await buy(holder, '1.00')).toBe('VEL')
  await service.advance(21)
  expect(await buy(holder, '1.00')).toBe(null)
})

test('concurrent purchases cannot exceed the daily limit together', async () => {
  await startWith({ daily: { EUR: '10000' } })
  const holder = await cardholder()
  const codes = await Promise.all(Array.from({ length: 15 }, () => buy(holder, '10.00')))
  expect(codes.toSorted()).toEqual([...Array(5).fill('LIM'), ...Array(10).fill(null)])
})

test('a repeated message gets its stored response even after the limits have changed', async () => {
  const connection = await createTestDatabase()
  await startWith({ refusedCountries: ['KP'] }, connection)
  const holder = await cardholder()
  const message = { event_id: 'once', merchant_country: 'KP' }
  const declined = await holder.send('authorization', '1.00', message)
  expect(declined.body.denial_code).toBe('CTY')
  await service.stop()
  await startWith({}, connection)
  const repeated = await service.sandbox('POST', '/transactions', {
    ...{ transaction_type: 'authorization', card_id: holder.cardId, currency: 'EUR', authorization_code: 'STORY1' },
    ...{ amount: '1.00', ...message },
  })
  expect(repeated.text).toBe(declined.text)
})
