import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { UpstreamError } from '../../src/lib/errors.ts'
import {
  advanceDeposit,
  advanceDeposits,
  followTransfer,
  measureScreenings,
  seeDeposit,
} from '../../src/money/deposits/deposits.ts'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import { signBody } from '../../src/platform/crypto/body-signature.ts'
import type { SandboxControls } from '../../src/providers/sandbox-controls.ts'
import { createChainalysis } from '../../src/providers/screening/chainalysis.ts'
import type { ScreeningProvider } from '../../src/providers/screening/screening.ts'
import { startService, type TestService, type TestUser } from '../support/service.ts'
import { type LocalRequest, type LocalResponse, startLocalServer } from '../support/vendors/local-server.ts'

/** Only final, approved deposits are spendable, even with failing, contradictory, duplicated or forged results. */
const key = { id: 'vendor', secret: 'a-key-of-the-screening-with-32-characters' }
const eur = 10n ** 18n

let vendor: Awaited<ReturnType<typeof startLocalServer>>
let service: TestService
let controls: SandboxControls
let eure: string

/** The vendor's responses. Every request fails unless a test scripts it. */
let say: (request: LocalRequest) => LocalResponse | Promise<LocalResponse>
const down = (): LocalResponse => ({ status: 503, body: 'away' })
const alerts =
  (...levels: string[]) =>
  ({ method, path }: LocalRequest): LocalResponse => {
    if (method === 'POST') return { status: 202, body: { externalId: 'x' } }
    if (!path.endsWith('/alerts')) return { status: 200, body: { updatedAt: '2026-01-31T09:30:00Z' } }
    return { status: 200, body: { alerts: levels.map((alertLevel) => ({ alertLevel })) } }
  }

beforeAll(async () => {
  vendor = await startLocalServer((request) => say(request))
  service = await startService({
    worker: false,
    env: { SCREENING_KEYS: `${key.id}:${key.secret}` },
    alter: (ctx) => {
      const config = { url: vendor.url, apiKey: 'k', networks: { 31337: 'Gnosis' }, refusedFrom: 'HIGH' } as const
      return { ...ctx, screening: createChainalysis(config, ctx.config.tokens) }
    },
  })
  if (service.ctx.sandbox === null) throw new Error('the tests need the sandbox')
  controls = service.ctx.sandbox
  eure = service.ctx.config.tokens.find(({ symbol }) => symbol === 'EURe')?.address ?? ''
})
afterAll(async () => {
  await service.stop()
  await vendor.stop()
})
beforeEach(() => {
  say = down
})

async function seen(user: TestUser, chainState: 'final' | 'unfinal' = 'final') {
  const transfer = controls.chain.mineTransfer(randomUUID(), {
    chainId: 31337,
    token: eure,
    fromAddress: controls.screening.senderFor('approved'),
    toAddress: user.accountAddress,
    amount: 100n * eur,
  })
  controls.chain.setTransferState(transfer, chainState)
  const deposit = await seeDeposit(service.ctx, transfer)
  if (deposit === null) throw new Error('the account has no address in the directory')
  return { transfer, depositId: deposit.depositId, due: { userId: user.userId, id: deposit.depositId } }
}

async function summaryOf(user: TestUser) {
  const get = async (path: string) => (await service.request('GET', path, { token: user.token })).body
  const { spendable, nonSpendable, processingDeposits } = (await get('/user/balances/v2')).data[0]
  const [{ status, kytBreakdown }] = (await get('/user/deposits')).data
  expect(await checkUser(service.ctx, user.userId)).toEqual([])
  const whole = (units: string) => BigInt(units) / eur
  return {
    spendable: whole(spendable),
    frozen: whole(nonSpendable),
    processing: whole(processingDeposits),
    status,
    kytBreakdown,
  }
}

const approval = { result: 'approved', riskScore: 10, riskTier: 'low' }
const refusal = { result: 'rejected', riskScore: 90, riskTier: 'severe' }
const waiting = {
  spendable: 0n,
  frozen: 0n,
  processing: 100n,
  status: 'pending',
  kytBreakdown: { result: 'pending', riskScore: 0, riskTier: 'unknown' },
}

function bring(
  body: object | string,
  { secret = key.secret, id = key.id, age = 0, change = (text: string) => text } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const timestamp = String(Math.floor(service.ctx.clock.now().getTime() / 1000) - age)
  return service.request('POST', '/webhooks/screening', {
    body: change(text),
    headers: {
      'x-screening-key-id': id,
      'x-screening-timestamp': timestamp,
      'x-screening-signature': `v1=${signBody(secret, timestamp, text)}`,
    },
  })
}

const alarms = (reason: string) => service.metric('screeningAlarms', { reason })

test('a deposit is not spendable while the vendor is down, is slow or sends invalid responses, and is credited after recovery', {
  tags: ['fault-16'],
}, async () => {
  const user = await service.newUser()
  const { due } = await seen(user)
  const noVerdicts: (typeof say)[] = [
    down,
    () => ({ status: 401, body: {} }),
    () => ({ status: 200, body: 'null' }),
    ({ method }) => (method === 'POST' ? { status: 202, body: { externalId: 'x' } } : { status: 200, body: {} }),
  ]
  for (const script of noVerdicts) {
    say = script
    await expect(advanceDeposit(service.ctx, due)).rejects.toThrow('screening')
    expect(await summaryOf(user)).toEqual(waiting)
  }
  say = ({ method }) =>
    method === 'POST' ? { status: 202, body: { externalId: 'x' } } : { status: 200, body: { updatedAt: null } }
  await advanceDeposit(service.ctx, due)
  expect(await summaryOf(user)).toEqual(waiting)

  await service.advance(1200)
  await measureScreenings(service.ctx)
  expect(await service.metric('waitingScreeningSeconds')).toBeGreaterThan(900)

  say = alerts('LOW')
  await service.advance(3600)
  expect(await summaryOf({ ...user, token: await service.signIn(user.wallet) })).toEqual({
    spendable: 100n,
    frozen: 0n,
    processing: 0n,
    status: 'approved',
    kytBreakdown: { result: 'approved', riskScore: 25, riskTier: 'low' },
  })
})

test('a result in a callback counts once, before the vendor responds, and is stored', {
  tags: ['fault-16'],
}, async () => {
  const user = await service.newUser()
  const { depositId, due } = await seen(user)
  await expect(advanceDeposit(service.ctx, due)).rejects.toThrow('screening')
  const answers = await Promise.all(Array.from({ length: 10 }, () => bring({ depositId, ...approval })))
  for (const { status, text } of answers) expect([status, text]).toEqual([200, '{"received":true}'])
  const after = { spendable: 100n, frozen: 0n, processing: 0n, status: 'approved', kytBreakdown: approval }
  expect(await summaryOf(user)).toEqual(after)
  expect((await bring({ depositId, ...approval, extra: 'kept by nobody' })).text).toBe('{"received":true}')
  expect(await summaryOf(user)).toEqual(after)
})

test('an approved deposit is not spendable before its block is final', { tags: ['fault-16'] }, async () => {
  const user = await service.newUser()
  const { transfer, depositId, due } = await seen(user, 'unfinal')
  await bring({ depositId, ...approval })
  expect(await summaryOf(user)).toEqual({ ...waiting, kytBreakdown: approval })
  controls.chain.setTransferState(transfer, 'final')
  await advanceDeposit(service.ctx, due)
  expect(await summaryOf(user)).toMatchObject({ spendable: 100n, status: 'approved' })
})

test('a rejection in a callback is not overturned by an older response of the vendor', {
  tags: ['fault-16'],
}, async () => {
  const user = await service.newUser()
  const { depositId, due } = await seen(user)
  say = async (request) => {
    if (request.path.endsWith('/alerts')) await bring({ depositId, ...refusal })
    return alerts()(request)
  }
  await advanceDeposit(service.ctx, due)
  const frozen = { spendable: 0n, frozen: 100n, processing: 0n, status: 'rejected', kytBreakdown: refusal }
  expect(await summaryOf(user)).toEqual(frozen)

  // A later approval releases the deposit. A rejection after that takes nothing back and raises an alarm.
  await bring({ depositId, ...approval })
  const free = { spendable: 100n, frozen: 0n, processing: 0n, status: 'approved', kytBreakdown: approval }
  expect(await summaryOf(user)).toEqual(free)
  const before = await alarms('contradiction')
  expect((await bring({ depositId, ...refusal })).text).toBe('{"received":true}')
  expect(await summaryOf(user)).toEqual(free)
  expect(await alarms('contradiction')).toBe(before + 1)
})

test('a repeated result is no contradiction, although the deposit can no longer be screened', {
  tags: ['fault-16'],
}, async () => {
  const user = await service.newUser()
  const { transfer, depositId, due } = await seen(user, 'unfinal')
  await bring({ depositId, ...approval })
  controls.chain.setTransferState(transfer, 'reorganized')
  await advanceDeposit(service.ctx, due)
  const before = await alarms('contradiction')
  expect((await bring({ depositId, ...approval })).text).toBe('{"received":true}')
  expect(await alarms('contradiction')).toBe(before)
  await bring({ depositId, ...refusal })
  expect(await alarms('contradiction')).toBe(before + 1)
})

test('a result for a transfer that a reorganization replaced does not apply to the transfer of another sender', {
  tags: ['fault-16'],
}, async () => {
  const user = await service.newUser()
  const { transfer, depositId, due } = await seen(user)
  const replaced = { ...transfer, fromAddress: controls.screening.senderFor('rejected') }
  say = async (request) => {
    if (request.path.endsWith('/alerts')) {
      await followTransfer(service.ctx, { userId: user.userId, depositId }, 'reorganized')
      await seeDeposit(service.ctx, replaced)
      await bring({ depositId, ...approval })
    }
    return alerts()(request)
  }
  await advanceDeposit(service.ctx, due)
  say = down
  const { data } = (await service.request('GET', '/user/deposits', { token: user.token })).body
  const standing = data.filter(({ status }: { status: string }) => status === 'pending')
  expect(standing).toMatchObject([{ kytBreakdown: { result: 'pending' } }])
  expect(await checkUser(service.ctx, user.userId)).toEqual([])
})

test('a result for another amount of a transfer does not apply', async () => {
  const user = await service.newUser()
  const { transfer, depositId, due } = await seen(user)
  say = async (request) => {
    if (request.path.endsWith('/alerts')) {
      await followTransfer(service.ctx, { userId: user.userId, depositId }, 'reorganized')
      await seeDeposit(service.ctx, { ...transfer, amount: 200n * eur })
    }
    return alerts()(request)
  }
  await advanceDeposit(service.ctx, due)
  const { data } = (await service.request('GET', '/user/deposits', { token: user.token })).body
  expect(data).toMatchObject([{ status: 'pending', kytBreakdown: { result: 'pending' } }])
})

test('a forged, changed, stale or future callback is rejected, and moves no funds', {
  tags: ['fault-16'],
}, async () => {
  const user = await service.newUser()
  const { depositId } = await seen(user)
  const verdict = { depositId, ...approval }
  const bare = await service.request('POST', '/webhooks/screening', { body: verdict })
  const refused = [
    bare,
    await bring(verdict, { secret: 'another-secret-of-thirty-two-characters' }),
    await bring(verdict, { id: 'nobody' }),
    await bring(verdict, { age: 301 }),
    await bring(verdict, { age: -301 }),
    await bring({ depositId, ...refusal }, { change: (text) => text.replace('rejected', 'approved') }),
    await bring(verdict, { change: (text) => `${text} ` }),
  ]
  for (const { status, body } of refused) {
    expect([status, body]).toEqual([401, { success: false, error: 'CALLBACK_REFUSED' }])
  }
  expect(await summaryOf(user)).toEqual(waiting)
})

test('a callback about an unknown deposit gets the same response as any other, and is counted', async () => {
  const before = await alarms('unknown_deposit')
  const answer = await bring({ depositId: randomUUID(), ...approval })
  expect([answer.status, answer.text]).toEqual([200, '{"received":true}'])
  expect(await alarms('unknown_deposit')).toBe(before + 1)
})

test.each([
  ['invalid JSON', '{'],
  ['an empty body', ''],
  ['a missing deposit id', { ...approval }],
  ['a pending result', { depositId: randomUUID(), ...approval, result: 'pending' }],
  ['a risk score above 100', { depositId: randomUUID(), ...approval, riskScore: 101 }],
  ['a malformed risk tier', { depositId: randomUUID(), ...approval, riskTier: '<b>' }],
])('a signed callback is rejected with 400 for %s', async (_what, body) => {
  expect((await bring(body)).status).toBe(400)
})

test('a deposit that is never screened does not hold back the other deposits of its user', async () => {
  const user = await service.newUser()
  const { transfer } = await seen(user)
  for (let i = 0; i < 60; i++) await seen(user)
  const screening: ScreeningProvider = {
    screen: async ({ txHash }) => {
      if (txHash === transfer.txHash) throw new UpstreamError('screening', 'rejected', new Error('an unknown asset'))
      return { result: 'approved', riskScore: 0, riskTier: 'low' }
    },
  }
  await expect(advanceDeposits({ ...service.ctx, screening }, user.userId)).rejects.toThrow(UpstreamError)
  const { data } = (await service.request('GET', '/user/deposits', { token: user.token })).body
  const pending = data.filter(({ status }: { status: string }) => status !== 'approved')
  expect(pending).toMatchObject([{ txHash: transfer.txHash, status: 'pending' }])
  expect(data).toHaveLength(61)
})
