import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { registerDomain } from '../../src/partners/domains.ts'
import { signInMessage } from '../acceptance/client.ts'
import { newPartner, signInAt } from '../support/partner.ts'
import { newWallet, startService, type TestService, useService } from '../support/service.ts'

const service = useService({ worker: false })
/** The same programme with shared domains. */
let sharing: TestService
beforeAll(async () => {
  sharing = await startService({ worker: false, connection: service.connection, env: { SHARED_DOMAINS: 'on' } })
})
afterAll(() => sharing.stop())

const rejected = { status: 401, body: { success: false, error: 'DOMAIN_OF_OTHER_PARTNER' } }
const statusAt = async (domain: string, { wallet }: { wallet: ReturnType<typeof newWallet> }) =>
  (await signInAt(service, domain, wallet)).status

async function twoPartners() {
  const [own, other] = [await newPartner(service), await newPartner(service)]
  return { own, other, ownDomain: await own.domain(), otherDomain: await other.domain() }
}

test("a user signs in at domains of the programme and of the user's own partner, and at no other partner's domain", async () => {
  const { own, ownDomain, otherDomain } = await twoPartners()
  const programmeDomain = `${randomUUID()}.programme.example`
  await registerDomain(service.ctx, programmeDomain)
  const user = await service.newUser({ partnerId: own.partnerId })
  for (const domain of [ownDomain, programmeDomain, 'localhost:3000']) expect(await statusAt(domain, user)).toBe(200)
  expect(await signInAt(service, otherDomain, user.wallet)).toMatchObject(rejected)

  const { token } = (await signInAt(service, ownDomain, user.wallet)).body
  expect(decodeJwt(token)).toMatchObject({ userId: user.userId, partnerId: own.partnerId })
  expect((await service.request('GET', '/user', { token })).status).toBe(200)
  expect(decodeJwt((await signInAt(service, programmeDomain, user.wallet)).body.token)).not.toHaveProperty('partnerId')
})

test('a user without a partner signs in only at domains of the programme, and a wallet without a user signs in at any domain', async () => {
  const { ownDomain } = await twoPartners()
  const user = await service.newUser()
  expect(await signInAt(service, ownDomain, user.wallet)).toMatchObject(rejected)
  expect(await statusAt('localhost', user)).toBe(200)
  expect((await signInAt(service, ownDomain, newWallet())).status).toBe(200)
})

test('a sign-in that is rejected after the check of its signature begins no session', async () => {
  const { own, ownDomain, otherDomain } = await twoPartners()
  const limited = await startService({
    worker: false,
    connection: service.connection,
    env: { RATE_LIMITS: 'sign-in.wallet=2/3600' },
  })
  onTestFinished(() => limited.stop())
  const { wallet } = await service.newUser({ partnerId: own.partnerId })
  expect(await signInAt(limited, otherDomain, wallet)).toMatchObject(rejected)
  const { token } = (await signInAt(limited, ownDomain, wallet)).body
  expect((await signInAt(limited, ownDomain, wallet)).status).toBe(429)
  const sessions = (await service.request('GET', '/user/sessions', { token })).body.data
  expect(sessions.filter(({ domain }: { domain: string }) => domain !== 'localhost')).toMatchObject([
    { domain: ownDomain, isCurrent: true },
  ])
})

test('an added owner is bound to the partner of the user as the first owner is', async () => {
  const { own, ownDomain, otherDomain } = await twoPartners()
  const { wallet, userId, token } = await service.newUser({ partnerId: own.partnerId })
  const second = newWallet()
  const signed = async (by: typeof second, statement: string, domain: string) => {
    const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
    const issuedAt = service.ctx.clock.now().toISOString()
    const message = signInMessage({ address: by.address, nonce, statement, issuedAt, domain })
    return { message, signature: await by.signMessage({ message }) }
  }
  const add = async (domain: string) => {
    const proof = await signed(second, `Add this wallet as an owner of user ${userId}.`, ownDomain)
    const approval = await signed(wallet, `Add wallet ${second.address} as an owner of user ${userId}.`, domain)
    return service.request('POST', '/user/owners', { token, body: { ...proof, approval } })
  }
  expect(await add(otherDomain)).toMatchObject({ status: 422, body: { error: 'OWNER_NOT_APPROVED' } })
  expect((await add(ownDomain)).status).toBe(201)
  expect(await signInAt(service, otherDomain, second)).toMatchObject(rejected)
  expect((await signInAt(service, ownDomain, second)).status).toBe(200)
})

test("with SHARED_DOMAINS a user signs in at another partner's domain, and without it the access token is rejected", async () => {
  const { own, ownDomain, otherDomain } = await twoPartners()
  const user = await service.newUser({ partnerId: own.partnerId })
  const { token } = (await signInAt(sharing, otherDomain, user.wallet)).body
  expect((await sharing.request('GET', '/user', { token })).body.userId).toBe(user.userId)
  expect(await service.request('GET', '/user', { token })).toMatchObject(rejected)
  const { token: kept } = (await signInAt(sharing, ownDomain, user.wallet)).body
  expect((await service.request('GET', '/user', { token: kept })).status).toBe(200)
})

test("a user can share a verification with KYC clients of the programme and of the user's own partner only, unless partners share their domains", async () => {
  const { own, other } = await twoPartners()
  const clients = { own: `client.${randomUUID()}`, other: `client.${randomUUID()}` }
  await own.ask('POST', '/kyc-clients', { clientId: clients.own })
  await other.ask('POST', '/kyc-clients', { clientId: clients.other })
  const [theirs, nobodys] = [await service.newUser({ partnerId: own.partnerId }), await service.newUser()]
  const share = async ({ token }: { token: string }, forClientId: string, of: TestService = service) =>
    (await of.request('POST', '/api/v1/kyc/import-partner-applicant', { token, body: { forClientId } })).status
  expect([await share(theirs, clients.own), await share(theirs, clients.other)]).toEqual([200, 400])
  expect([await share(nobodys, clients.own), await share(nobodys, 'partner.example_1')]).toEqual([400, 200])
  expect(await share(theirs, clients.other, sharing)).toBe(200)
})

test("a member cannot act for a partner with an access token from another partner's domain", async () => {
  const { own, ownDomain, otherDomain } = await twoPartners()
  const tokenAt = async (domain: string) => (await signInAt(service, domain, own.owner)).body.token
  const read = async (domain: string) => service.request('GET', '/partner', { token: await tokenAt(domain) })
  expect(await read(otherDomain)).toMatchObject(rejected)
  expect((await read(ownDomain)).status).toBe(200)
})

test('a user who registers at the domain of a partner gets a valid access token and is listed for the partner', async () => {
  const { own, ownDomain } = await twoPartners()
  const { token } = (await signInAt(service, ownDomain, newWallet())).body
  const email = `${randomUUID()}@example.org`
  await service.request('POST', '/email-verification', { token, body: { email } })
  const { accessToken, userId } = (await service.request('POST', '/user', { token, body: { email, otp: '123456' } }))
    .body
  expect((await service.request('GET', '/user', { token: accessToken })).body.userId).toBe(userId)
  expect((await own.ask('GET', '/users')).body.data).toMatchObject([{ userId }])
})
