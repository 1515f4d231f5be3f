import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { eraseUser } from '../../src/closing/closing.ts'
import { dueWorks } from '../../src/due-work.ts'
import { refreshApplicant } from '../../src/identity/kyc/kyc.ts'
import { createJobs } from '../../src/platform/jobs/jobs.ts'
import { createSumsub } from '../../src/providers/kyc/sumsub.ts'
import { closure } from '../acceptance/client.ts'
import { newWallet, startService, type TestService, type Wallet } from '../support/service.ts'
import { digestOf, reviews, startSumsub, verifiedInfo } from '../support/vendors/sumsub.ts'

/** The service with its Sumsub adapter, which talks over HTTP to a server that plays Sumsub. */
let service: TestService
let sumsub: Awaited<ReturnType<typeof startSumsub>>
beforeAll(async () => {
  sumsub = await startSumsub(() => service.ctx.clock.now())
  service = await startService({
    worker: false,
    env: { KYC_CLIENTS: 'partner.example_1' },
    alter: (ctx) => ({ ...ctx, kyc: createSumsub(sumsub.config, ctx.clock) }),
  })
})
afterAll(async () => {
  await service.stop()
  await sumsub.stop()
  expect(sumsub.problems).toEqual([])
})
beforeEach(() => {
  sumsub.seen.length = 0
  sumsub.scripted.length = 0
})

type Person = { wallet: Wallet; token: string; userId: string; applicantId: string }

async function register({
  email = `${randomUUID()}@example.org`,
  ...more
}: {
  email?: string
  shareToken?: string
} = {}) {
  const wallet = newWallet()
  const token = await service.signIn(wallet)
  await service.request('POST', '/email-verification', { token, body: { email } })
  const { status, body } = await service.request('POST', '/user', { token, body: { email, otp: '123456', ...more } })
  expect(status).toBe(201)
  return { wallet, token: body.accessToken as string, userId: body.userId as string }
}

const next = async (token: string) => (await service.request('GET', '/user/onboarding', { token })).body
const me = async (token: string) => (await service.request('GET', '/user', { token })).body
const count = (path: string) => sumsub.seen.filter((request) => request.path.startsWith(path)).length

/** Registers a user, accepts the terms and opens the verification page, which creates the applicant. */
async function applicant(): Promise<Person> {
  const user = await register()
  await acceptTerms(user.token)
  await next(user.token)
  const [found] = [...sumsub.applicants.values()].filter(({ externalUserId }) => externalUserId === user.userId)
  if (!found) throw new Error('Sumsub has no applicant for the user')
  return { ...user, applicantId: found.id }
}

async function acceptTerms(token: string): Promise<void> {
  const { terms } = (await service.request('GET', '/terms', { token })).body
  await service.request('POST', '/user/terms', { token, body: { terms } })
}

function decide({ applicantId, userId }: Person, review: object) {
  sumsub.applicants.set(applicantId, { id: applicantId, externalUserId: userId, info: verifiedInfo, review })
}

function callback(applicantId: string, { headers, body }: { headers?: Record<string, string>; body?: string } = {}) {
  const text =
    body ?? JSON.stringify({ type: 'applicantReviewed', applicantId, createdAtMs: '2026-01-31 09:30:00.000' })
  return service.request('POST', '/webhooks/kyc', {
    body: text,
    headers: { 'content-type': 'application/json', ...(headers ?? digestOf(text)) },
  })
}

const received = [200, '{"received":true}']

test('the verification state, name and country of an applicant are those that Sumsub reports', async () => {
  const person = await applicant()
  expect(await next(person.token)).toEqual({
    status: 'action_complete_kyc',
    webSdkUrl: `https://in.sumsub.example/websdk/p/${person.userId}`,
  })
  // The applicant is created once, and each visit gets a new page.
  expect(count('/resources/applicants?')).toBe(1)
  expect(count('/resources/sdkIntegrations')).toBe(2)

  decide(person, { reviewStatus: 'pending' })
  const answer = await callback(person.applicantId)
  expect([answer.status, answer.text]).toEqual(received)
  await service.jobs.runDue()
  expect((await next(person.token)).status).toBe('kyc_manual_review')

  decide(person, reviews.retry)
  await callback(person.applicantId)
  await service.jobs.runDue()
  expect(await next(person.token)).toMatchObject({ status: 'action_kyc_resubmission_requested' })

  decide(person, reviews.green)
  await callback(person.applicantId)
  await service.jobs.runDue()
  expect((await next(person.token)).status).toBe('action_complete_sof')
  expect(await me(person.token)).toMatchObject({
    kycStatus: 'approved',
    firstName: 'Ada',
    lastName: 'Lovelace',
    country: 'DE',
  })

  const shared = await service.request('POST', '/api/v1/kyc/import-partner-applicant', {
    token: person.token,
    body: { forClientId: 'partner.example_1', ttlInSecs: 60 },
  })
  expect([shared.status, shared.body]).toEqual([
    200,
    { token: expect.stringMatching(/^share-/), forClientId: 'partner.example_1' },
  ])
  expect(sumsub.seen.at(-1)?.content).toEqual({
    applicantId: person.applicantId,
    forClientId: 'partner.example_1',
    ttlInSecs: 60,
  })
})

test('repeated, late and reordered callbacks lead to the current state at Sumsub', async () => {
  const person = await applicant()
  const pending = JSON.stringify({ type: 'applicantPending', applicantId: person.applicantId })
  const red = JSON.stringify({ applicantId: person.applicantId, reviewResult: { reviewAnswer: 'RED' } })
  const green = JSON.stringify({ applicantId: person.applicantId, reviewResult: { reviewAnswer: 'GREEN' } })
  decide(person, reviews.green)
  for (const body of [green, green, red, pending]) await callback(person.applicantId, { body })
  await service.jobs.runDue()
  expect((await me(person.token)).kycStatus).toBe('approved')
  // A callback approves nobody: the service reads the state from Sumsub.
  decide(person, reviews.final)
  await callback(person.applicantId, { body: green })
  await service.jobs.runDue()
  expect((await me(person.token)).kycStatus).toBe('rejected')
})

test('a callback that arrives during a request to Sumsub is not lost', async () => {
  const person = await applicant()
  decide(person, { reviewStatus: 'pending' })
  await callback(person.applicantId)
  sumsub.scripted.push(async () => {
    const stale = sumsub.applicants.get(person.applicantId)
    decide(person, reviews.green)
    await callback(person.applicantId)
    return { status: 200, body: stale }
  })
  await service.jobs.runDue()
  expect((await me(person.token)).kycStatus).toBe('approved')
})

test('an outdated response to a slow worker does not overwrite the newer verification state', async () => {
  const person = await applicant()
  decide(person, { reviewStatus: 'pending' })
  await callback(person.applicantId)
  let answer = () => {}
  const isAsked = new Promise<void>((asked) => {
    sumsub.scripted.push(async () => {
      const stale = sumsub.applicants.get(person.applicantId)
      asked()
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return { status: 200, body: stale }
    })
  })
  const slow = service.jobs.runDue()
  await isAsked
  decide(person, reviews.green)
  await callback(person.applicantId)
  await createJobs(service.as('worker'), dueWorks, []).runDue()
  expect((await me(person.token)).kycStatus).toBe('approved')
  answer()
  await slow
  expect((await me(person.token)).kycStatus).toBe('approved')
})

test('the worker asks Sumsub again within an hour without a callback, and retries after a failure', async () => {
  const person = await applicant()
  decide(person, { reviewStatus: 'onHold' })
  await callback(person.applicantId)
  await service.jobs.runDue()
  decide(person, reviews.green)
  await service.jobs.runDue()
  expect((await me(person.token)).kycStatus).toBe('processing')
  sumsub.scripted.push(() => ({ status: 503, body: 'away' }))
  await service.advance(3601)
  const token = await service.signIn(person.wallet)
  expect((await me(token)).kycStatus).toBe('processing')
  await service.advance(60)
  expect((await me(token)).kycStatus).toBe('approved')
})

test('a verification whose callback was lost is found within an hour', async () => {
  const person = await applicant()
  decide(person, reviews.green)
  await service.advance(3601)
  expect((await me(await service.signIn(person.wallet))).kycStatus).toBe('approved')
})

test('a rejection of an approved user whose callback was lost is found within two days', async () => {
  const person = await applicant()
  decide(person, reviews.green)
  await callback(person.applicantId)
  await service.jobs.runDue()
  expect((await me(person.token)).kycStatus).toBe('approved')
  decide(person, reviews.final)
  await service.advance(2 * 86_400)
  expect((await me(await service.signIn(person.wallet))).kycStatus).toBe('rejected')
})

test('a forged, unsigned or altered callback is rejected and changes nothing', async () => {
  const person = await applicant()
  decide(person, reviews.green)
  const good = JSON.stringify({ applicantId: person.applicantId })
  for (const attempt of [
    { headers: {} },
    { headers: digestOf(good, { secret: 'another' }) },
    { headers: digestOf(good), body: `${good} ` },
    { headers: digestOf(good, { algorithm: 'sha1' }) },
  ]) {
    const answer = await callback(person.applicantId, { body: good, ...attempt })
    expect([answer.status, answer.body]).toEqual([401, { success: false, error: 'CALLBACK_REFUSED' }])
  }
  await service.jobs.runDue()
  expect((await me(person.token)).kycStatus).toBe('notStarted')
})

test.each(['{"applicantId":"nobody of ours"}', '{"type":"test"}', 'not JSON', ''])(
  'the signed callback %j about no known applicant is acknowledged',
  async (body) => {
    const answer = await callback('', { body })
    expect([answer.status, answer.text]).toEqual(received)
  },
)

test('a valid share token approves the user, who can then share the verification, and an invalid one changes nothing', async () => {
  const shared = await register({ shareToken: 'good/token' })
  expect(await me(shared.token)).toMatchObject({ kycStatus: 'approved', firstName: 'Ada', country: 'DE' })
  const { status } = await service.request('POST', '/api/v1/kyc/import-partner-applicant', {
    token: shared.token,
    body: { forClientId: 'partner.example_1' },
  })
  expect(status).toBe(200)
  const alone = await register({ shareToken: 'made up' })
  expect(await me(alone.token)).toMatchObject({ kycStatus: 'notStarted', firstName: null })
})

test('a verification that Sumsub withdraws during the import does not stay approved', async () => {
  let copy = ''
  sumsub.scripted.push(
    () => null,
    async ({ path }) => {
      copy = path.split('/')[3] ?? ''
      const green = sumsub.applicants.get(copy)
      if (!green) throw new Error('Sumsub has not imported the applicant')
      sumsub.applicants.set(copy, { ...green, review: { reviewStatus: 'init' } })
      // The user does not exist yet, so this callback names an unknown applicant.
      await callback(copy)
      return { status: 200, body: green }
    },
  )
  const { wallet } = await register({ shareToken: 'good/token' })
  await service.advance(60)
  const token = await service.signIn(wallet)
  expect((await me(token)).kycStatus).toBe('documentsRequested')

  // The page belongs to the imported applicant, whose callbacks name the user.
  await acceptTerms(token)
  expect(await next(token)).toEqual({
    status: 'action_complete_kyc',
    webSdkUrl: `https://in.sumsub.example/websdk/p/${sumsub.applicants.get(copy)?.externalUserId}`,
  })
})

test('a share token is not used up by a registration whose email address is taken', async () => {
  const wallet = newWallet()
  const token = await service.signIn(wallet)
  const email = `${randomUUID()}@example.org`
  await service.request('POST', '/email-verification', { token, body: { email } })
  await register({ email })
  const body = { email, otp: '123456', shareToken: 'good/token' }
  const { status, body: answer } = await service.request('POST', '/user', { token, body })
  expect([status, answer.error]).toEqual([409, 'EMAIL_IN_USE'])
  expect(count('/resources/applicants/-/import')).toBe(0)
})

test('an imported verification that Sumsub does not describe in time is approved later', async () => {
  sumsub.scripted.push(
    () => null,
    () => ({ status: 503, body: 'away' }),
  )
  const { wallet, token } = await register({ shareToken: 'good/token' })
  expect(await me(token)).toMatchObject({ kycStatus: 'processing', firstName: null })
  await service.advance(60)
  expect(await me(await service.signIn(wallet))).toMatchObject({ kycStatus: 'approved', firstName: 'Ada' })
})

test('an imported verification that Sumsub describes late and without a name approves nobody', async () => {
  sumsub.scripted.push(
    () => null,
    () => ({ status: 503, body: 'away' }),
  )
  const { wallet, userId } = await register({ shareToken: 'good/token' })
  const copy = [...sumsub.applicants.values()].at(-1)
  if (!copy) throw new Error('Sumsub has not imported the applicant')
  sumsub.applicants.set(copy.id, { ...copy, info: { ...verifiedInfo, lastName: undefined } })
  await service.advance(60)
  const token = await service.signIn(wallet)
  expect(await me(token)).toMatchObject({ kycStatus: 'notStarted', firstName: null })
  await acceptTerms(token)
  // The user verifies again, under our own id.
  expect((await next(token)).webSdkUrl).toBe(`https://in.sumsub.example/websdk/p/${userId}`)
})

test('a user whose applicant Sumsub deleted during the review starts again with a new applicant', async () => {
  const person = await applicant()
  decide(person, { reviewStatus: 'pending' })
  await callback(person.applicantId)
  await service.jobs.runDue()
  sumsub.applicants.delete(person.applicantId)
  await callback(person.applicantId)
  await service.jobs.runDue()
  expect((await me(person.token)).kycStatus).toBe('notStarted')
  const page = { status: 'action_complete_kyc', webSdkUrl: `https://in.sumsub.example/websdk/p/${person.userId}` }
  expect(await next(person.token)).toEqual(page)
  expect([...sumsub.applicants.values()].filter(({ externalUserId }) => externalUserId === person.userId)).toHaveLength(
    1,
  )
})

test('a user whose applicant Sumsub deleted without a callback gets a new page after the first visit', async () => {
  const person = await applicant()
  sumsub.applicants.delete(person.applicantId)
  expect(await next(person.token)).toEqual({ status: 'waiting_kyc_setup' })
  await service.jobs.runDue()
  expect((await next(person.token)).status).toBe('action_complete_kyc')
})

test.each([
  ['approved', reviews.green],
  ['rejected', reviews.final],
])(
  'a user stays %s when Sumsub deletes the applicant, and Sumsub is not asked every minute',
  async (status, review) => {
    const person = await applicant()
    decide(person, review)
    await callback(person.applicantId)
    await service.jobs.runDue()
    sumsub.applicants.delete(person.applicantId)
    await callback(person.applicantId)
    await service.jobs.runDue()
    const ofPerson = `/resources/applicants/${person.applicantId}`
    const before = count(ofPerson)
    await service.advance(3600)
    expect(count(ofPerson)).toBe(before)
    await service.advance(86_400)
    expect(count(ofPerson)).toBe(before + 1)
    expect((await me(await service.signIn(person.wallet))).kycStatus).toBe(status)
  },
)

test('a 404 without the body of Sumsub does not end an applicant', async () => {
  const person = await applicant()
  decide(person, { reviewStatus: 'pending' })
  await callback(person.applicantId)
  await service.jobs.runDue()
  sumsub.scripted.push(() => ({ status: 404, body: '<html>' }))
  await callback(person.applicantId)
  await service.jobs.runDue()
  expect((await me(person.token)).kycStatus).toBe('pending')
})

test('a closed user gets no data from Sumsub, and Sumsub gets no request about an erased user', async () => {
  const person = await applicant()
  const body = await closure(service, person)
  expect((await service.request('POST', '/user/close', { token: person.token, body })).status).toBe(200)
  decide(person, reviews.green)
  await callback(person.applicantId)
  await service.jobs.runDue()
  const names = () =>
    service.ctx.db.query('select first_name as "firstName" from app_user where user_id = $1', [person.userId])
  expect(await names()).toEqual([{ firstName: null }])

  await eraseUser(service.ctx, person.userId)
  sumsub.seen.length = 0
  const answer = await callback(person.applicantId)
  expect([answer.status, answer.text]).toEqual(received)
  await service.jobs.runDue()
  await refreshApplicant(service.ctx, { userId: person.userId, id: person.userId })
  expect(sumsub.seen).toEqual([])
})
