import { expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { breakGlassGauge } from '../../src/operators/jobs.ts'
import { createCaches } from '../../src/platform/cache/caches.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { reportSecurity } from '../../src/platform/observability/security-events.ts'
import { joinProgramme } from '../../src/platform/programme/programme.ts'
import { readSwitches } from '../../src/switches/switches.ts'
import { signInMessage } from '../acceptance/client.ts'
import { newOperator, propose } from '../support/console.ts'
import { captureLog } from '../support/log.ts'
import { runMoneyCommand } from '../support/operator.ts'
import { newPartner, signInAt } from '../support/partner.ts'
import { newWallet, useService, type Wallet } from '../support/service.ts'

const log = captureLog('info')
const service = useService({ env: { RATE_LIMITS: 'partner.address=1/3600' }, worker: false, alter: log.alter })

/** Returns the security events in the log. */
const events = () =>
  log
    .text()
    .split('\n')
    .filter((line) => line.includes('"security: '))
    .map((line) => JSON.parse(line))
async function expectEvent(event: string, reason: string, fields: object = {}): Promise<void> {
  await expect.poll(events).toContainEqual(expect.objectContaining({ event, reason, ...fields }))
  expect(await service.metric('securityEvents', { event, reason })).toBeGreaterThan(0)
}

test('rejected sign-ins, denied access, limits and forged callbacks are counted and logged with their codes', async () => {
  const stranger = newWallet()
  await expect(service.signIn({ ...stranger, address: newWallet().address })).rejects.toThrow(/INVALID_SIGNATURE/)
  await expectEvent('sign_in_rejected', 'INVALID_SIGNATURE', { route: '/api/v1/auth/challenge', address: '127.0.0.1' })

  await service.request('GET', '/user/statement', { token: 'forged.secret.token' })
  await expectEvent('access_denied', 'INVALID_TOKEN', { route: '/user/statement' })
  const token = await service.signIn(stranger)
  await service.request('GET', '/partner', { token })
  await expectEvent('access_denied', 'NOT_A_MEMBER')

  await service.request('POST', '/webhooks/screening', { body: {} })
  await expectEvent('callback_rejected', 'CALLBACK_REFUSED', { route: '/webhooks/screening' })
  await service.request('POST', '/issuer/v1/authorizations', { body: {} })
  await expectEvent('callback_rejected', 'ISSUER_UNAUTHORIZED')

  const partner = await newPartner(service)
  await service.request('POST', '/partner', { token, body: { name: 'Second' } })
  await expectEvent('rate_limited', 'RATE_LIMITED', { route: '/partner' })

  const key = await partner.key('partner:read')
  expect((await service.request('GET', '/partner', { token: key })).status).toBe(200)
  const { wallet } = await service.newUser()
  expect((await signInAt(service, await partner.domain(), wallet)).status).toBe(401)
  await expectEvent('sign_in_rejected', 'DOMAIN_OF_OTHER_PARTNER')
  await expectEvent('api_key_used', 'partner:read', { partnerId: partner.partnerId })
  expect(log.text()).not.toContain(key)
  expect(log.text()).not.toContain('forged.secret.token')
})

test('changes of owners, and attempts without an approval, are security events', async () => {
  const { userId, wallet, token } = await service.newUser()
  const second = newWallet()
  const signed = async (signer: Wallet, statement: string) => {
    const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
    const message = signInMessage({
      address: signer.address,
      nonce,
      statement,
      issuedAt: service.ctx.clock.now().toISOString(),
    })
    return { message, signature: await signer.signMessage({ message }) }
  }
  const add = async (approver: Wallet, headers = {}) => {
    const approval = await signed(approver, `Add wallet ${second.address} as an owner of user ${userId}.`)
    const body = { ...(await signed(second, `Add this wallet as an owner of user ${userId}.`)), approval }
    return service.request('POST', '/user/owners', { token, body, headers })
  }
  expect((await add(second)).body.error).toBe('OWNER_NOT_APPROVED')
  await expectEvent('owner_change_rejected', 'OWNER_NOT_APPROVED', { userId })
  // The client sends a key with every change of owners, and the rejection is stored under it.
  expect((await add(second, { 'idempotency-key': 'one' })).body.error).toBe('OWNER_NOT_APPROVED')
  expect(await service.metric('securityEvents', { event: 'owner_change_rejected', reason: 'OWNER_NOT_APPROVED' })).toBe(
    2,
  )
  expect((await add(wallet)).status).toBe(201)
  await expectEvent('owner_changed', 'added', { userId, owner: second.address, wallet: wallet.address })
})

test('the end of all sessions of a user is a security event', async () => {
  const { userId, token, wallet } = await service.newUser()
  expect((await service.request('POST', '/api/v1/auth/logout-all', { token })).status).toBe(200)
  await expectEvent('sessions_ended', 'all', { userId, wallet: wallet.address })
})

test('each change of a kill switch is a security event', async () => {
  for (const state of ['off', 'on']) {
    await runMoneyCommand(service, 'switch payouts <state> <reason>', state, 'a drill')
    await readSwitches(service.ctx, service.ctx.db)
    await expectEvent('kill_switch_changed', `payouts ${state}`)
  }
})

test('sign-ins, reads of personal data and decisions of operators are security events', async () => {
  const admin = await newOperator(service, 'admin')
  const operator = admin.wallet.address
  await expectEvent('operator_signed_in', 'admin', { operator })
  const { userId } = await service.newUser()
  expect((await admin.ask('POST', `/users/${userId}/reveal`, { reason: 'asked by the user' })).status).toBe(200)
  await expectEvent('personal_data_revealed', 'admin', { operator, userId })
  expect((await propose(admin, { command: 'user block', subject: userId })).status).toBe(201)
  await expectEvent('operator_decided', 'user block', { subject: userId, operators: [operator] })
})

test('a worker measures the number of break-glass decisions', async () => {
  const measured = async () => {
    await breakGlassGauge.run(service.ctx, AbortSignal.timeout(60_000))
    return service.metric('breakGlassDecisions', {})
  }
  const before = await measured()
  await runMoneyCommand(service, 'switch payouts <state> <reason>', 'off', 'a drill')
  await runMoneyCommand(service, 'switch payouts <state> <reason>', 'on', 'a drill')
  expect(await measured()).toBe(before + 2)
})

test('a start on the database of another programme is a security event', async () => {
  await joinProgramme(service.ctx)
  const other: Ctx = { ...service.ctx, config: { ...service.ctx.config, mode: 'production' } }
  await expect(joinProgramme(other)).rejects.toThrow('MODE must be sandbox')
  await expectEvent('programme_conflict', 'mode')
})

test.each(['warn', 'error', 'fatal'] as const)('LOG_LEVEL=%s does not remove security events from the log', (level) => {
  let text = ''
  const quiet = createLog(level, { write: (line) => (text += line) })
  quiet.info({}, 'a request')
  reportSecurity({ ...service.ctx, log: quiet, caches: createCaches() }, 'kill_switch_changed', 'payouts', {})
  expect(JSON.parse(text)).toMatchObject({ level: 30, event: 'kill_switch_changed', reason: 'payouts' })
})

const denied = () => service.metric('securityEvents', { event: 'access_denied', reason: 'UNAUTHORIZED' })

test('a flood of security events is counted in full and logged in part', async () => {
  const earlier = events().length
  const logged = () => events().slice(earlier)
  const before = await denied()
  const startedAt = performance.now()
  const requests = 300
  for (let i = 0; i < requests; i += 50) {
    await Promise.all(Array.from({ length: 50 }, () => service.request('GET', '/user/statement')))
  }
  expect(await denied()).toBe(before + requests)
  const seconds = Math.ceil((performance.now() - startedAt) / 1000) + 1
  expect(logged().length).toBeLessThanOrEqual(10 * seconds)
  // The first line of a later second says how many were omitted.
  await expect
    .poll(
      async () => {
        await service.request('GET', '/user/statement')
        return logged().reduce((sum, { suppressed = 0 }) => sum + suppressed + 1, 0)
      },
      { interval: 300 },
    )
    .toBeGreaterThanOrEqual(requests)
})
