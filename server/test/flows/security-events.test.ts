import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { joinProgramme } from '../../src/platform/programme/programme.ts'
import { readSwitches } from '../../src/switches/switches.ts'
import { signInMessage } from '../acceptance/client.ts'
import { order } from '../support/operator.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, startService, type TestService, type Wallet } from '../support/service.ts'

let service: TestService
let logged = ''
beforeAll(async () => {
  const write = (line: string) => {
    logged += line
  }
  service = await startService({
    env: { RATE_LIMITS: 'partner.address=1/3600' },
    worker: false,
    alter: (ctx) => ({ ...ctx, log: createLog('info', { write }) }),
  })
})
afterAll(() => service.stop())

/** Returns the security events that the log has, without their ids. */
const events = () =>
  logged
    .split('\n')
    .filter((line) => line.includes('"security: '))
    .map((line) => JSON.parse(line))
const count = async (event: string, reason: string) => {
  const { text } = await service.request('GET', '/metrics')
  const line = text
    .split('\n')
    .find((each) => each.startsWith(`purser_security_events_total{event="${event}",reason="${reason}"}`))
  return Number(line?.split(' ').at(-1) ?? 0)
}
async function expectEvent(event: string, reason: string, fields: object = {}): Promise<void> {
  await expect.poll(events).toContainEqual(expect.objectContaining({ event, reason, ...fields }))
  // Scrapes within a second share one rendering.
  await expect.poll(() => count(event, reason), { timeout: 10_000 }).toBeGreaterThan(0)
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
  await expectEvent('api_key_used', 'partner:read', { partnerId: partner.partnerId })
  expect(logged).not.toContain(key)
  expect(logged).not.toContain('forged.secret.token')
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
  const add = async (approver: Wallet) => {
    const approval = await signed(approver, `Add wallet ${second.address} as an owner of user ${userId}.`)
    const body = { ...(await signed(second, `Add this wallet as an owner of user ${userId}.`)), approval }
    return service.request('POST', '/user/owners', { token, body })
  }
  expect((await add(second)).body.error).toBe('OWNER_NOT_APPROVED')
  await expectEvent('owner_change_rejected', 'OWNER_NOT_APPROVED', { userId })
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
    await order(service, 'switch payouts <state> <reason>', state, 'a drill')
    await readSwitches(service.ctx, service.ctx.db)
    await expectEvent('kill_switch_changed', `payouts ${state}`)
  }
})

test('a start on the database of another programme is a security event', async () => {
  await joinProgramme(service.ctx)
  const other: Ctx = { ...service.ctx, config: { ...service.ctx.config, mode: 'production' } }
  await expect(joinProgramme(other)).rejects.toThrow('MODE must be sandbox')
  await expectEvent('programme_conflict', 'mode')
})

test('a flood of security events is counted in full and logged in part', async () => {
  logged = ''
  const before = await count('access_denied', 'UNAUTHORIZED')
  const startedAt = performance.now()
  const requests = 300
  for (let i = 0; i < requests; i += 50) {
    await Promise.all(Array.from({ length: 50 }, () => service.request('GET', '/user/statement')))
  }
  await expect.poll(() => count('access_denied', 'UNAUTHORIZED'), { timeout: 10_000 }).toBe(before + requests)
  const seconds = Math.ceil((performance.now() - startedAt) / 1000) + 1
  expect(events().length).toBeLessThanOrEqual(10 * seconds)
  // The first line of a later second says how many were omitted.
  await expect
    .poll(
      async () => {
        await service.request('GET', '/user/statement')
        return events().reduce((sum, { suppressed = 0 }) => sum + suppressed + 1, 0)
      },
      { timeout: 10_000, interval: 300 },
    )
    .toBeGreaterThanOrEqual(requests)
})
