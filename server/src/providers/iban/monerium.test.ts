import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MoneriumProfile, startMonerium } from '../../../test/support/vendors/monerium.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { ibanContract, ibanRequest } from './iban.contract.ts'
import { createMonerium } from './monerium.ts'

let now = new Date('2026-01-31T09:30:00Z')
let monerium: Awaited<ReturnType<typeof startMonerium>>
beforeAll(async () => {
  monerium = await startMonerium(() => now)
})
afterAll(() => monerium.stop())
beforeEach(() => {
  monerium.scripted.length = 0
})

const provider = (more: object = {}) => createMonerium({ ...monerium.config, ...more }, { now: () => now })

/** Approves every pending profile and requested IBAN. */
function settle(): void {
  for (const profile of monerium.profiles.values()) {
    if (profile.state === 'pending') profile.state = 'approved'
    for (const iban of profile.ibans) iban.state = 'approved'
  }
}

const profileOf = (userId: string): MoneriumProfile => {
  const profile = monerium.profiles.get(userId)
  if (profile === undefined) throw new Error('no such profile')
  return profile
}

describe('Monerium satisfies the contract of the port', () => {
  ibanContract(
    () => provider(),
    settle,
    () => void monerium.scripted.push(() => ({ status: 503, body: 'away' })),
  )

  test('every request to Monerium matches its reference', () => {
    expect(monerium.problems).toEqual([])
  })
})

test('Monerium assigns an IBAN in repeatable steps: profile, person, wallet, number', async () => {
  const userId = randomUUID()
  const request = await ibanRequest(userId)
  expect(await provider().advance(request)).toBe('pending')
  const { person } = request
  expect(profileOf(userId)).toMatchObject({
    state: 'pending',
    introduction: {
      personal: {
        ...{ firstName: 'Ada', lastName: 'Lovelace', birthday: '1990-12-10', nationality: 'GR', country: 'DE' },
        ...{ address: person.street, postalCode: '10115', city: 'Berlin' },
      },
    },
  })
  expect(await provider().advance(request)).toBe('pending')
  profileOf(userId).state = 'approved'
  expect(await provider().advance(request)).toBe('pending')
  expect(profileOf(userId)).toMatchObject({ addresses: [request.address], ibans: [{ chain: 'gnosis' }] })
  expect(await provider().advance(request)).toBe('pending')
  settle()
  expect(await provider().advance(request)).toEqual({ iban: 'IS140159260076545510730339', bic: 'MEISISRE' })
  expect(profileOf(userId).addresses).toHaveLength(1)
})

test('Monerium receives the person through a share token if configured', async () => {
  const userId = randomUUID()
  const share = async (forClientId: string) => `a token for ${forClientId}`
  await provider({ sumsubClientId: 'monerium_client' }).advance(await ibanRequest(userId, { share }))
  expect(profileOf(userId).introduction).toEqual({
    provider: 'sumsub',
    personal: { token: 'a token for monerium_client' },
  })
  // Without the configuration, no person is shared.
  const other = randomUUID()
  await provider().advance(await ibanRequest(other, { share }))
  expect(profileOf(other).introduction).toHaveProperty('personal.firstName', 'Ada')
})

test('a person whose profile is incomplete is not submitted twice', async () => {
  const userId = randomUUID()
  const request = await ibanRequest(userId)
  await provider().advance(request)
  Object.assign(profileOf(userId), { state: 'incomplete', introduction: 'untouched' })
  expect(await provider().advance(request)).toBe('pending')
  expect(profileOf(userId).introduction).toBe('untouched')
})

test.each<[string, (profile: MoneriumProfile) => void]>([
  ['rejects a person', (profile) => void Object.assign(profile, { state: 'rejected' })],
  ['rejects an IBAN', (profile) => void Object.assign(profile.ibans[0], { state: 'rejected' })],
  ['closes an IBAN', (profile) => void Object.assign(profile.ibans[0], { state: 'closed' })],
])('an IBAN request is rejected when Monerium %s', async (_what, refuse) => {
  const userId = randomUUID()
  const request = await ibanRequest(userId)
  await provider().advance(request)
  settle()
  await provider().advance(request)
  refuse(profileOf(userId))
  expect(await provider().advance(request)).toBe('refused')
})

test('a Monerium access token is used until a minute before its expiry and renewed after a revocation', async () => {
  const same = provider()
  const request = await ibanRequest(randomUUID())
  const issued = monerium.tokensIssued()
  await same.advance(request)
  await same.advance(request)
  expect(monerium.tokensIssued()).toBe(issued + 1)
  now = new Date(now.getTime() + 3541_000)
  await same.advance(request)
  expect(monerium.tokensIssued()).toBe(issued + 2)
  await provider().advance(request)
  await expect(same.advance(request)).rejects.toThrow(UpstreamError)
  expect(await same.advance(request)).toBe('pending')
})

test.each<[string, number, unknown]>([
  ['a rate limit', 429, {}],
  ['a failure', 500, {}],
  ['invalid JSON', 200, '<html>'],
  ['missing fields', 200, {}],
  ['an unknown state', 200, { state: 'paused' }],
])('a Monerium response with %s causes an upstream error', async (_what, status, body) => {
  monerium.scripted.push(() => ({ status, body }))
  await expect(provider().advance(await ibanRequest(randomUUID()))).rejects.toThrow(UpstreamError)
})

test('a wrong Monerium secret is an upstream error', async () => {
  const wrong = provider({ clientSecret: 'another' })
  await expect(wrong.advance(await ibanRequest(randomUUID()))).rejects.toThrow(UpstreamError)
})
