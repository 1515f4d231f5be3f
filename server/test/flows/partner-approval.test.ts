import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { groups } from '../../src/config/groups.ts'
import { approvePartner, suspendPartner } from '../../src/partners/approval.ts'
import { registerDomain } from '../../src/partners/domains.ts'
import { joinTransaction } from '../../src/platform/db/db.ts'
import { runOperator } from '../support/operator.ts'
import { newPartner, signInAt, type TestPartner } from '../support/partner.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { newWallet, startService, type TestService } from '../support/service.ts'
import { webhookStories } from '../support/webhook-story.ts'

let service: TestService
/** A second process of the same service, as far as caches go. */
let beside: TestService

beforeAll(async () => {
  service = await startService({ env: { PARTNER_SIGN_UP: 'approval' } })
  beside = await startService({ env: { PARTNER_SIGN_UP: 'approval' }, connection: service.connection, worker: false })
})
afterAll(async () => {
  await beside.stop()
  await service.stop()
})

const approve = ({ partnerId }: TestPartner) => approvePartner(service.ctx, partnerId)

/** Returns the responses that depend on the effect of a partner. */
async function effects(of: TestService, domain: string, clientId: string, token: string) {
  const { headers } = await of.request('GET', '/api/v1/auth/nonce', { headers: { origin: `https://${domain}` } })
  const body = { forClientId: clientId }
  const shared = await of.request('POST', '/api/v1/kyc/import-partner-applicant', { token, body })
  return {
    signIn: (await signInAt(of, domain, newWallet())).body.error ?? 'signed in',
    cors: headers.get('access-control-allow-origin') !== null,
    share: shared.status,
  }
}
const none = { signIn: 'DOMAIN_NOT_ALLOWED', cors: false, share: 400 }
const all = { signIn: 'signed in', cors: true, share: 200 }

async function newEffects() {
  const partner = await newPartner(service)
  const domain = await partner.domain()
  const clientId = `client.${randomUUID()}`
  expect((await partner.ask('POST', '/kyc-clients', { clientId })).status).toBe(201)
  const { token } = await service.newUser({ partnerId: partner.partnerId })
  return { partner, domain, effectsIn: (of: TestService) => effects(of, domain, clientId, token) }
}

test('a pending partner cannot keep an active one from adding its KYC client', async () => {
  const [squatter, active] = [await newPartner(service), await newPartner(service)]
  await approve(active)
  const clientId = `client.${randomUUID()}`
  const add = async (partner: TestPartner) => (await partner.ask('POST', '/kyc-clients', { clientId })).status
  expect([await add(squatter), await add(squatter), await add(active)]).toEqual([201, 409, 201])
  expect((await squatter.ask('GET', '/kyc-clients')).body.data).toEqual([])
  // Not even an active partner takes a client from another that is or was active.
  await approve(squatter)
  expect(await add(squatter)).toBe(409)
  await suspendPartner(service.ctx, active.partnerId)
  expect(await add(squatter)).toBe(409)
})

test('a pending partner loses its KYC clients when it is suspended', async () => {
  const [squatter, active] = [await newPartner(service), await newPartner(service)]
  await approve(active)
  const [first, second] = [`client.${randomUUID()}`, `client.${randomUUID()}`]
  const add = async ({ ask }: TestPartner, clientId: string) => (await ask('POST', '/kyc-clients', { clientId })).status
  expect(await add(squatter, first)).toBe(201)
  let late: Promise<number> | undefined
  const operator = service.as('operator')
  await operator.db.transaction(async (tx) => {
    await suspendPartner({ ...operator, db: joinTransaction(operator.db, tx) }, squatter.partnerId)
    // This request was admitted before the suspension.
    late = add(squatter, second)
    await expect.poll(() => service.ctx.db.query(lockWaits)).not.toEqual([])
  })
  expect(await late).toBe(403)
  expect([await add(active, first), await add(active, second)]).toEqual([201, 201])
})

test('the domains and KYC clients of a partner have no effect until an operator approves it', async () => {
  const { partner, effectsIn } = await newEffects()
  expect((await partner.ask('GET', '')).body).toMatchObject({ status: 'pending' })
  for (const of of [service, beside]) expect(await effectsIn(of)).toEqual(none)

  const { partnerId } = partner
  const listed = await runOperator(service, ['partner', 'list'])
  expect(listed.output).toContain(`${partnerId}  pending  Example Wallet`)
  const approved = await runOperator(service, ['partner', 'approve', partnerId, 'contract', '17'])
  expect(approved).toMatchObject({ code: 0, output: expect.stringContaining(`${partnerId}  active`) })
  for (const of of [service, beside]) await expect.poll(() => effectsIn(of)).toEqual(all)
  expect((await partner.ask('GET', '')).body).toMatchObject({ status: 'active' })

  const log = (await partner.ask('GET', '/audit')).body.data
  expect(log.at(-1)).toMatchObject({ actor: 'operator', action: 'partner.approved', subject: partnerId, detail: {} })
  const decisions = (await runOperator(service, ['decisions', 'list'])).output
  expect(decisions).toContain(`ada  partner approve  ${partnerId}  contract 17`)
  const again = await runOperator(service, ['partner', 'approve', partnerId, 'contract', '17'])
  expect(again).toEqual({ code: 1, output: 'The partner is already active.\n' })
})

test('a suspended partner loses its effect and its access in all processes', async () => {
  const { partner, domain, effectsIn } = await newEffects()
  const key = await partner.key('partner:read', 'users:read')
  await approve(partner)
  for (const of of [service, beside]) await expect.poll(() => effectsIn(of)).toEqual(all)
  const { token } = (await signInAt(service, domain, newWallet())).body
  const newcomer = (of: TestService) => of.request('POST', '/email-verification', { token, body: { email: mail() } })
  expect((await newcomer(beside)).status).toBe(200)

  const { output } = await runOperator(service, ['partner', 'suspend', partner.partnerId, 'fraud'])
  expect(output).toContain('  suspended  ')
  for (const of of [service, beside]) {
    await expect.poll(() => effectsIn(of)).toEqual(none)
    expect(await newcomer(of)).toMatchObject({ status: 401, body: { error: 'DOMAIN_NOT_ALLOWED' } })
  }
  for (const caller of [partner.token, key]) {
    const seen = await beside.request('GET', '/partner', { token: caller })
    expect(seen).toMatchObject({ status: 200, body: { status: 'suspended' } })
    const users = await beside.request('GET', '/partner/users', { token: caller })
    expect(users).toMatchObject({ status: 403, body: { error: 'PARTNER_SUSPENDED' } })
  }
  await approve(partner)
  for (const of of [service, beside]) await expect.poll(() => effectsIn(of)).toEqual(all)
})

const mail = () => `${randomUUID()}@example.org`

test('a user of a suspended partner can still sign in at the domains of the programme', async () => {
  const partner = await newPartner(service)
  const { wallet, userId } = await service.newUser({ partnerId: partner.partnerId })
  await suspendPartner(service.ctx, partner.partnerId)
  const token = await service.signIn(wallet)
  expect((await service.request('GET', '/user', { token })).body.userId).toBe(userId)
})

test('the webhooks of a partner wait for its approval and are sent then', async () => {
  const { newStory, deposit, closeReceivers } = webhookStories(() => service)
  try {
    const [held, free] = [await newStory(['deposit.approved']), await newStory(['deposit.approved'])]
    await approve(free.partner)
    const [theirs, others] = [await held.newUser(), await free.newUser()]
    await deposit(theirs.userId)
    await expect.poll(async () => (await held.deliveries())?.length).toBe(1)
    await deposit(others.userId)
    await free.receiver.waitForDeliveries(1)
    expect(held.receiver.received).toEqual([])
    expect(await held.deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }])
    await approve(held.partner)
    const [sent] = await held.receiver.waitForDeliveries(1)
    expect(sent?.event.data).toMatchObject({ userId: theirs.userId })
  } finally {
    await closeReceivers()
  }
})

test('a pending partner cannot take over a domain that an operator registered, and an approved one can', async () => {
  const partner = await newPartner(service)
  const domain = `${randomUUID()}.example`
  await registerDomain(service.ctx, domain)
  await partner.ask('POST', '/domains', { domain, environment: 'production' })
  expect((await partner.ask('POST', `/domains/${domain}/verify`)).body.error).toBe('DOMAIN_IN_USE')
  expect((await signInAt(service, domain, newWallet())).status).toBe(200)
  await approve(partner)
  expect((await partner.ask('POST', `/domains/${domain}/verify`)).status).toBe(200)
})

test('approving a partner fails for an unknown id and for an id that is not a UUID', async () => {
  const { ctx } = service
  await expect(approvePartner(ctx, randomUUID())).rejects.toMatchObject({ code: 'PARTNER_NOT_FOUND' })
  await expect(approvePartner(ctx, 'acme')).rejects.toThrow('"acme" is not a partner id. Use a UUID.')
})

test('partners wait for approval by default in production, and are active at once in the sandbox', () => {
  const { defaults } = groups.partners.specs.partnerSignUp
  expect(defaults).toEqual({ production: 'approval', sandbox: 'open' })
})
