import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { decisionRouteTable } from '../../src/operators/decision-route-table.ts'
import { signInMessage } from '../acceptance/client.ts'
import { fetchOpenApi } from '../acceptance/document.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, startService, type TestService } from '../support/service.ts'
import { sendMessage } from '../support/vendors/issuer.ts'
import { populate } from '../support/world.ts'

const services: TestService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

async function limitedTo(limits: string, env: Record<string, string> = {}): Promise<TestService> {
  const service = await startService({ env: { RATE_LIMITS: limits, ...env } })
  services.push(service)
  return service
}

/** Returns the response and whether it has a Retry-After header. */
function refusalOf({ status, body, headers }: Awaited<ReturnType<TestService['request']>>) {
  return { status, body, hasRetryAfter: Number(headers.get('retry-after')) > 0 }
}
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const tooMany = { status: 429, body: { success: false, error: 'RATE_LIMITED' }, hasRetryAfter: true }

test('the sandbox limits nothing by default', async () => {
  const service = await startService()
  services.push(service)
  expect(service.ctx.config.rateLimits).toEqual([])
  const answers = await Promise.all(Array.from({ length: 100 }, () => service.request('GET', '/api/v1/auth/nonce')))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})

test('a network address that signs in too often gets 429 with Retry-After', async () => {
  const service = await limitedTo('sign-in.address=3/3600')
  await service.signIn(newWallet())
  expect((await service.request('GET', '/api/v1/auth/nonce')).status).toBe(200)
  expect(refusalOf(await service.request('GET', '/api/v1/auth/nonce'))).toEqual(tooMany)
  const body = { message: 'x', signature: '0x', ttlInSeconds: 3600 }
  expect(refusalOf(await service.request('POST', '/api/v1/auth/challenge', { body }))).toEqual(tooMany)
  // Other requests do not count toward the sign-in limit.
  expect((await service.request('GET', '/terms')).status).toBe(401)
})

test('forged sign-ins do not use up the sign-in limit of a wallet', async () => {
  const service = await limitedTo('sign-in.wallet=2/3600')
  const [wallet, stranger] = [newWallet(), newWallet()]
  const forged = { ...stranger, address: wallet.address }
  for (let i = 0; i < 4; i++) await expect(service.signIn(forged)).rejects.toThrow(/401 .*INVALID_SIGNATURE/)
  await service.signIn(wallet)
  await service.signIn(wallet)
  await expect(service.signIn(wallet)).rejects.toThrow(/429 .*RATE_LIMITED/)
  await service.signIn(stranger)
})

test('replaying an intercepted sign-in does not use up the limit of its wallet', async () => {
  const service = await limitedTo('sign-in.wallet=2/3600')
  const wallet = newWallet()
  const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
  const message = signInMessage({ address: wallet.address, nonce })
  const body = { message, signature: await wallet.signMessage({ message }) }
  const send = () => service.request('POST', '/api/v1/auth/challenge', { body })
  expect((await send()).status).toBe(200)
  for (let i = 0; i < 3; i++) expect((await send()).body.error).toBe('NONCE_USED')
  await service.signIn(wallet)
  await expect(service.signIn(wallet)).rejects.toThrow(/429 .*RATE_LIMITED/)
})

test('one-time codes are limited per wallet, and cards and withdrawals per user', async () => {
  const service = await limitedTo('code.wallet=1/3600,card.user=1/3600,withdrawal.user=2/3600')
  const [ada, bob] = [await service.newUser(), await service.newUser()]
  const ask = {
    code: ({ token }: typeof ada) =>
      service.request('POST', '/email-verification', { token, body: { email: 'ada@example.org' } }),
    card: ({ token }: typeof ada) =>
      service.request('POST', '/cards/virtual', { token, body: { cardName: 'One', phone: '+4915112345678' } }),
    withdrawal: ({ token }: typeof ada, path = '/user/withdrawal') =>
      service.request('POST', path, { token, body: { tokenAddress: ada.accountAddress, amount: '1' } }),
  }
  expect((await ask.code(ada)).status).toBe(200)
  expect(refusalOf(await ask.code(ada))).toEqual(tooMany)
  expect((await ask.code(bob)).status).toBe(200)

  expect((await ask.card(ada)).status).toBe(201)
  expect(refusalOf(await ask.card(ada))).toEqual(tooMany)
  expect((await ask.card(bob)).status).toBe(201)

  expect((await ask.withdrawal(ada)).status).toBe(422)
  expect((await ask.withdrawal(ada, '/user/withdrawals')).status).toBe(422)
  expect(refusalOf(await ask.withdrawal(ada))).toEqual(tooMany)
  expect((await ask.withdrawal(bob)).status).toBe(422)
})

test('signatures to see a card or to change owners are limited separately from sign-ins', async () => {
  const service = await limitedTo('sign-in.wallet=2/3600,proof.wallet=3/3600')
  const { alice } = await populate(service, { card: true })
  const { token, wallet } = alice
  const stolen = { nonce: '1', signature: `0x${'11'.repeat(200)}` }
  const view = () =>
    service.request('POST', `/pci/cards/${alice.cardId}/token`, { token, body: { action: 'view-pin', ...stolen } })
  const owners = (path: string, body: object) => service.request('POST', `/user/owners${path}`, { token, body })
  const signed = { message: 'x', signature: '0x' }
  expect((await view()).body.error).toBe('INVALID_CHALLENGE')
  expect((await owners('', { ...signed, approval: signed })).status).toBe(400)
  expect((await owners(`/${newWallet().address}/remove`, { approval: signed })).status).toBe(404)
  expect(refusalOf(await view())).toEqual(tooMany)
  expect(refusalOf(await owners('', { ...signed, approval: signed }))).toEqual(tooMany)
  // The holder of a stolen access token cannot use up the sign-ins of the owner.
  await service.signIn(wallet)
})

test('identity verification is limited per user, and partner sign-ups per network address', async () => {
  const service = await limitedTo('kyc.user=2/3600,partner.address=1/3600')
  const [ada, bob] = [await service.newUser(), await service.newUser()]
  const onboarding = ({ token }: typeof ada) => service.request('GET', '/user/onboarding', { token })
  const share = ({ token }: typeof ada) =>
    service.request('POST', '/api/v1/kyc/import-partner-applicant', {
      token,
      body: { forClientId: 'partner.example_1' },
    })
  expect((await onboarding(ada)).status).toBe(200)
  expect((await share(ada)).status).toBe(200)
  expect(refusalOf(await onboarding(ada))).toEqual(tooMany)
  const shared = await share(ada)
  expect([shared.status, shared.body]).toEqual([
    429,
    { message: expect.stringContaining('The rate limit is exceeded') },
  ])
  expect((await share(bob)).status).toBe(200)

  const signUp = async () =>
    service.request('POST', '/partner', { token: await service.signIn(newWallet()), body: { name: 'Example Wallet' } })
  expect((await signUp()).status).toBe(201)
  expect(refusalOf(await signUp())).toEqual(tooMany)
})

test('checks of a domain proof are limited per partner and per network address', async () => {
  const service = await limitedTo('domain.partner=1/3600,domain.address=2/3600')
  const [one, other, third] = [await newPartner(service), await newPartner(service), await newPartner(service)]
  const verify = ({ ask }: typeof one) => ask('POST', '/domains/shop.example/verify')
  expect((await verify(one)).body.error).toBe('DOMAIN_NOT_FOUND')
  expect((await verify(other)).body.error).toBe('DOMAIN_NOT_FOUND')
  expect(refusalOf(await verify(third))).toEqual(tooMany)

  const wide = await limitedTo('domain.partner=1/3600')
  const partner = await newPartner(wide)
  const token = await partner.key('domains:write')
  expect((await verify(partner)).body.error).toBe('DOMAIN_NOT_FOUND')
  const withKey = await wide.request('POST', '/partner/domains/shop.example/verify', { token })
  expect(refusalOf(withKey)).toEqual(tooMany)
  expect((await verify(await newPartner(wide))).body.error).toBe('DOMAIN_NOT_FOUND')
})

test('a user and a network address that send too many requests get 429, even for unknown paths', async () => {
  const service = await limitedTo('any.user=2/3600,any.address=6/3600')
  const user = await service.newUser() // three requests
  for (const status of [200, 200, 429]) {
    expect((await service.request('GET', '/user/balances/v2', { token: user.token })).status).toBe(status)
  }
  expect(refusalOf(await service.request('GET', '/nowhere'))).toEqual(tooMany)
  expect((await service.request('GET', '/api/v1/ibans/available')).body).toEqual({
    message: expect.stringContaining('The rate limit is exceeded'),
  })
})

test.each(['127.0.0.1', '127.0.0.0/8', '::ffff:127.0.0.1', '::ffff:127.0.0.0/104'])(
  'X-Forwarded-For counts from a proxy in the trusted range %s',
  async (range) => {
    const trusting = await limitedTo('any.address=1/3600', { TRUSTED_PROXIES: range })
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      expect((await trusting.request('GET', '/health', from(address))).status).toBe(200)
      expect((await trusting.request('GET', '/health', from(address))).status).toBe(429)
    }
  },
)

test.each(['', '::ffff:126.0.0.0/104'])(
  'X-Forwarded-For does not count if the trusted ranges are "%s"',
  async (range) => {
    const wary = await limitedTo('any.address=1/3600', { TRUSTED_PROXIES: range })
    expect((await wary.request('GET', '/health', from('192.0.2.1'))).status).toBe(200)
    expect((await wary.request('GET', '/health', from('192.0.2.2'))).status).toBe(429)
  },
)

test('all /64 networks of one IPv6 /48 together have a limit as well', async () => {
  const service = await limitedTo('any.address=1/3600', { TRUSTED_PROXIES: '127.0.0.1' })
  const statusFrom = async (address: string) =>
    (await service.request('GET', '/health', { headers: { 'x-forwarded-for': address } })).status
  const statuses = []
  for (let i = 0; i < 17; i++) statuses.push(await statusFrom(`2001:db8:1:${i.toString(16)}::1`))
  expect(statuses).toEqual([...Array(16).fill(200), 429])
  expect(await statusFrom('2001:db8:2::1')).toBe(200)
})

test('ports and invented names in X-Forwarded-For are not new clients', async () => {
  const service = await limitedTo('any.address=1/3600', { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' })
  const statusFrom = async (forwarded: string) =>
    (await service.request('GET', '/health', { headers: { 'x-forwarded-for': forwarded } })).status
  expect(await statusFrom('192.0.2.1')).toBe(200)
  for (const same of ['192.0.2.1:443', '::ffff:192.0.2.1', '[::ffff:192.0.2.1]:9', '192.0.2.1, 10.1.2.3:8080']) {
    expect(await statusFrom(same), same).toBe(429)
  }
  expect(await statusFrom('[2001:db8::1]:5000')).toBe(200)
  expect(await statusFrom('2001:db8::2')).toBe(429)
  // A text that is not an address counts as the proxy that forwarded it.
  expect(await statusFrom('unknown')).toBe(200)
  for (const invented of ['garbage', '_hidden', '999.1.1.1', '192.0.2.9, garbage', '192.0.2.9, fe80::1%br-lan']) {
    expect(await statusFrom(invented), invented).toBe(429)
  }
})

test('signed card messages and callbacks are never limited', async () => {
  const service = await limitedTo('any.address=1/3600')
  expect((await service.request('GET', '/health')).status).toBe(200)
  expect((await service.request('GET', '/health')).status).toBe(429)
  const payment = { type: 'authorization', cardId: randomUUID(), amount: '100', currency: 'EUR' }
  for (let i = 0; i < 3; i++) {
    expect((await sendMessage(service, 'authorizations', payment)).body).toMatchObject({ outcome: 'declined' })
    for (const path of ['/issuer/v1/clearings', '/webhooks/screening', '/webhooks/kyc']) {
      expect((await service.request('POST', path, { body: {} })).status, path).toBe(401)
    }
  }
})

test('the API documents declare 429 on every limited operation', async () => {
  const service = await limitedTo('')
  const { paths } = await fetchOpenApi(service.url)
  const limited = Object.entries<Record<string, { responses: object }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => ('429' in responses ? [`${method} ${path}`] : [])),
  )
  const decisions = decisionRouteTable.map(({ route }) => {
    const [method = '', path = ''] = route.split(' ')
    return `${method.toLowerCase()} /operator${path.replace(/:(\w+)/g, '{$1}')}`
  })
  const others = [
    'get /api/v1/auth/nonce',
    'get /operator/evidence',
    'get /partner/events',
    'get /user/onboarding',
    'get /user/statement',
    'post /api/v1/auth/challenge',
    'post /api/v1/kyc/import-partner-applicant',
    'post /cards/virtual',
    'post /cards/{cardId}/report',
    'post /email-verification',
    'post /operator/proposals',
    'post /operator/proposals/{proposalId}/approve',
    'post /operator/reconciliation/users/{userId}',
    'post /operator/session',
    'post /operator/users/{userId}/reveal',
    'post /partner',
    'post /partner/domains/{domain}/verify',
    'post /pci/cards/{cardId}/token',
    'post /user/close',
    'post /user/owners',
    'post /user/owners/{address}/remove',
    'post /user/withdrawal',
    'post /user/withdrawals',
  ]
  expect(limited.sort()).toEqual([...others, ...decisions].sort())
})
