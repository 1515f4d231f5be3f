import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { LocalResponse } from '../../../test/support/vendors/local-server.ts'
import { digestOf, reviews, startSumsub, sumsubKeys, verifiedInfo } from '../../../test/support/vendors/sumsub.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { applyingUser, kycContract } from './kyc.contract.ts'
import { createSumsub } from './sumsub.ts'

const now = new Date('2026-01-31T09:30:00Z')
let sumsub: Awaited<ReturnType<typeof startSumsub>>
beforeAll(async () => {
  sumsub = await startSumsub(() => now)
})
afterAll(() => sumsub.stop())
beforeEach(() => {
  sumsub.seen.length = 0
  sumsub.scripted.length = 0
})

const provider = (more: object = {}, at = now) => createSumsub({ ...sumsub.config, ...more }, { now: () => at })
const down = (): LocalResponse => ({ status: 503, body: 'away' })

describe('Sumsub satisfies the contract of the port', () => {
  kycContract(
    () => provider(),
    'good/token',
    () => void sumsub.scripted.push(down),
  )

  test('every request to Sumsub is signed and matches its reference', () => {
    expect(sumsub.problems).toEqual([])
  })
})

test('requests to Sumsub have the documented content', async () => {
  const applicantId = await provider().createApplicant({ ...applyingUser, userId: 'another-user' })
  await provider().verificationUrl({ ...applyingUser, applicantId })
  await provider().shareApplicant({ applicantId, forClientId: 'partner.example_1', ttlSeconds: 600 })
  const { email } = applyingUser
  expect(sumsub.seen.map(({ content }) => content)).toEqual([
    { externalUserId: 'another-user', email },
    undefined,
    { levelName: sumsubKeys.level, userId: 'another-user', applicantIdentifiers: { email }, ttlInSecs: 1800 },
    { applicantId, forClientId: 'partner.example_1', ttlInSecs: 600 },
  ])
})

test.each<[string, object, Date]>([
  ['a wrong key', { secretKey: 'another' }, now],
  ['a wrong app token', { appToken: 'another' }, now],
  ['a wrong clock', {}, new Date(now.getTime() + 120_000)],
])('with %s every Sumsub call is an upstream error, including the import of a valid token', async (_what, more, at) => {
  await expect(provider(more, at).createApplicant(applyingUser)).rejects.toThrow(UpstreamError)
  await expect(provider(more, at).importApplicant('good/token')).rejects.toThrow(UpstreamError)
  sumsub.problems.length = 0
})

describe('Sumsub reviews', () => {
  async function read(review: object, info: object | undefined = verifiedInfo) {
    const id = await provider().createApplicant(applyingUser)
    sumsub.applicants.set(id, { id, externalUserId: applyingUser.userId, review, ...(info && { info }) })
    return provider().readApplicant({ applicantId: id, userId: applyingUser.userId })
  }

  test.each([
    [{ reviewStatus: 'init' }, 'documentsRequested'],
    [{ reviewStatus: 'pending' }, 'pending'],
    [{ reviewStatus: 'prechecked' }, 'pending'],
    [{ reviewStatus: 'queued' }, 'pending'],
    [{ reviewStatus: 'onHold' }, 'processing'],
    [{ reviewStatus: 'awaitingService' }, 'processing'],
    [{ reviewStatus: 'awaitingUser' }, 'requiresAction'],
    [reviews.retry, 'resubmissionRequested'],
    [reviews.final, 'rejected'],
    [{ ...reviews.final, reviewStatus: 'pending' }, 'pending'],
  ])('the Sumsub review %j maps to %s without a person', async (review, status) => {
    expect(await read(review)).toMatchObject({ status, person: null })
  })

  test('an approved Sumsub review names the person in Latin letters with alpha-2 countries', async () => {
    expect(await read(reviews.green)).toMatchObject({
      status: 'approved',
      person: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        birthDate: '1990-12-10',
        nationality: 'GR',
        street: 'Hauptstraße 1, 2. OG',
        city: 'Berlin',
        postalCode: '10115',
        country: 'DE',
      },
    })
  })

  test('an approved Sumsub review with missing data names no person', async () => {
    for (const missing of ['lastName', 'dob', 'country'] as const) {
      const info = { ...verifiedInfo, addresses: [], [missing]: undefined }
      expect(await read(reviews.green, info)).toMatchObject({ status: 'approved', person: null })
    }
  })

  test.each([{ reviewStatus: 'completed' }, { reviewStatus: 'unheard-of' }, { reviewStatus: 'constructor' }, {}])(
    'the unknown Sumsub review %j is an upstream error',
    async (review) => {
      await expect(read(review)).rejects.toThrow(UpstreamError)
    },
  )
})

describe('Sumsub share tokens', () => {
  test.each<[string, LocalResponse]>([
    ['has expired', { status: 401, body: { code: 401, description: 'Token is invalid: created long ago' } }],
    ['belongs to an unknown partner', { status: 400, body: { errorCode: 10501 } }],
    ['belongs to another level', { status: 400, body: { errorCode: 10504 } }],
  ])('a share token that %s imports nobody', async (_what, answer) => {
    sumsub.scripted.push(() => answer)
    expect(await provider().importApplicant('old')).toBeNull()
  })

  test.each<[string, LocalResponse]>([
    ['fails because sharing is disabled', { status: 400, body: { errorCode: 10518 } }],
    ['gets 500', { status: 500, body: {} }],
    ['gets invalid JSON', { status: 200, body: '<html>' }],
    ['gets a response without an id', { status: 200, body: {} }],
  ])('a share token whose import %s causes an upstream error', async (_what, answer) => {
    sumsub.scripted.push(() => answer)
    await expect(provider().importApplicant('any')).rejects.toThrow(UpstreamError)
  })

  test('a share token of an applicant who is not approved imports nobody', async () => {
    sumsub.scripted.push(
      () => ({ status: 200, body: { id: 'abc' } }),
      () => ({ status: 200, body: { id: 'abc', review: { reviewStatus: 'pending' } } }),
    )
    expect(await provider().importApplicant('good/token')).toBeNull()
  })
})

describe('Sumsub callbacks', () => {
  const body = JSON.stringify({
    type: 'applicantReviewed',
    applicantId: 'abc',
    reviewResult: { reviewAnswer: 'GREEN' },
  })
  const read = (headers: Record<string, string>, text = body) => provider().readCallback(headers, Buffer.from(text))

  test('a Sumsub callback with a SHA-256 or SHA-512 digest names its applicant, and SHA-256 is the default', () => {
    for (const algorithm of ['sha256', 'sha512'])
      expect(read(digestOf(body, { algorithm }))).toEqual({ applicantId: 'abc' })
    expect(read({ 'x-payload-digest': digestOf(body)['x-payload-digest'] })).toEqual({ applicantId: 'abc' })
  })

  test('a forged or changed Sumsub callback is rejected', () => {
    const good = digestOf(body)
    expect(read(digestOf(body, { secret: 'another' }))).toBeNull()
    expect(read(good, `${body} `)).toBeNull()
    expect(read({})).toBeNull()
    expect(read({ ...good, 'x-payload-digest': '' })).toBeNull()
    expect(read({ ...good, 'x-payload-digest-alg': 'HMAC_SHA512_HEX' })).toBeNull()
    expect(read(digestOf(body, { algorithm: 'sha1' }))).toBeNull()
    expect(read({ ...good, 'x-payload-digest-alg': 'constructor' })).toBeNull()
  })

  test('a signed Sumsub callback without an applicant names nobody', () => {
    for (const text of ['{"type":"test"}', '{"applicantId":7}', '{"applicantId":""}', 'null', 'not JSON', '']) {
      expect(read(digestOf(text), text)).toEqual({ applicantId: null })
    }
  })
})
