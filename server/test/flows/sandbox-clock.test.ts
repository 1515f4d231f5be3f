import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { sandboxScope } from '../../src/platform/idempotency/idempotency.ts'
import { idempotencyChore } from '../../src/platform/idempotency/jobs.ts'
import { createSandboxClock } from '../../src/providers/clock/sandbox.ts'
import { type ServiceOptions, startService, useService } from '../support/service.ts'

const service = useService({ worker: false })

const advance = (advanceSeconds: unknown, headers: Record<string, string> = {}) =>
  service.sandbox('POST', '/clock', { advanceSeconds }, headers)
async function offset(): Promise<bigint | undefined> {
  const [row] = await service.ctx.db.query<{ seconds: bigint }>(
    'select offset_seconds as seconds from sandbox_clock where id = 1',
  )
  return row?.seconds
}
const now = async () => Date.parse((await service.sandbox('GET', '/clock')).body.now)

/** Starts a service whose payouts wait until `open` is called. `isBegun` resolves when the first one waits. */
async function withSlowPayouts(options: ServiceOptions = {}) {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>()
  const slow = await startService({
    ...options,
    alter: (ctx) => ({
      ...ctx,
      chain: {
        ...ctx.chain,
        async sendPayout(...payout) {
          begin()
          await gate
          return ctx.chain.sendPayout(...payout)
        },
      },
    }),
  })
  return { slow, isBegun, open }
}

describe('the sandbox clock', () => {
  test('the sandbox clock advances by the requested seconds and returns the new time', async () => {
    const before = await now()
    const answer = await advance(3600)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual(['now'])
    expect(Date.parse(answer.body.now) - before).toBeGreaterThanOrEqual(3_600_000)
    expect((await now()) - before).toBeLessThan(3_660_000)
  })

  test('all processes on a database share the sandbox clock', async () => {
    await advance(86_400)
    const second = await startService({ connection: service.connection, worker: false })
    try {
      const there = Date.parse((await second.sandbox('GET', '/clock')).body.now)
      expect(Math.abs(there - (await now()))).toBeLessThan(30_000)
    } finally {
      await second.stop()
    }
  })

  test('a deposit is created at the time of the sandbox clock', async () => {
    await advance(30 * 86_400)
    const user = await service.newUser()
    const token = service.ctx.config.tokens[0]?.address
    await service.sandbox('POST', '/deposits', { userId: user.userId, token, amount: '1' })
    const { body } = await service.request('GET', '/user/deposits', { token: user.token })
    expect(Math.abs(Date.parse(body.data[0].createdAt) - (await now()))).toBeLessThan(30_000)
  })

  test('the sandbox clock responds after all due work has run', async () => {
    const user = await service.newUser()
    const token = service.ctx.config.tokens[0]?.address
    await service.sandbox('POST', '/deposits', { userId: user.userId, token, amount: '1' })
    const body = { tokenAddress: token, amount: '1' }
    await service.request('POST', '/user/withdrawal', { token: user.token, body })
    await advance(0)
    const list = await service.request('GET', '/user/withdrawals', { token: user.token })
    expect(list.body.data).toHaveLength(1)
  })

  test('the sandbox clock waits for due work that a worker has started', async () => {
    const { slow, isBegun, open } = await withSlowPayouts()
    try {
      const user = await slow.newUser()
      const token = slow.ctx.config.tokens[0]?.address
      await slow.sandbox('POST', '/deposits', { userId: user.userId, token, amount: '1' })
      const body = { tokenAddress: token, amount: '1' }
      await slow.request('POST', '/user/withdrawal', { token: user.token, body })
      await isBegun
      let isMoved = false
      const moved = slow.sandbox('POST', '/clock', { advanceSeconds: 0 }).then(() => {
        isMoved = true
      })
      await delay(300)
      expect(isMoved).toBe(false)
      open()
      await moved
    } finally {
      open()
      await slow.stop()
    }
  })

  test('the sandbox clock advances once per idempotency key', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const first = await advance(1000, key)
    const before = await now()
    expect(await advance(1000, key)).toMatchObject({ status: 200, text: first.text })
    expect((await now()) - before).toBeLessThan(60_000)
    expect(await advance(1, key)).toMatchObject({ status: 422, body: { error: 'IDEMPOTENCY_KEY_REUSED' } })
  })

  test('an idempotency key does not expire when its own request advances the sandbox clock by days', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const first = await advance(2 * 86_400, key)
    const before = await now()
    await advance(2 * 86_400)
    await idempotencyChore.run(service.ctx, new AbortController().signal)
    expect(await advance(2 * 86_400, key)).toMatchObject({ status: 200, text: first.text })
    expect((await now()) - before).toBeLessThan(3 * 86_400_000)
  })

  test('a repeated request whose first attempt still runs does not advance the sandbox clock again', async () => {
    const { slow, isBegun, open } = await withSlowPayouts({ worker: false })
    try {
      const user = await slow.newUser()
      const token = slow.ctx.config.tokens[0]?.address
      await slow.deposit(user, 1n)
      const body = { tokenAddress: token, amount: '1' }
      await slow.request('POST', '/user/withdrawal', { token: user.token, body })
      const before = slow.ctx.clock.now().getTime()
      const key = { 'idempotency-key': randomUUID() }
      const attempt = () => slow.sandbox('POST', '/clock', { advanceSeconds: 3600 }, key)
      const leasedUntil = async () => {
        const query = 'select lease_until as "until" from idempotency_key where user_id = $1 and key = $2'
        const [row] = await slow.ctx.db.query<{ until: Date }>(query, [sandboxScope, key['idempotency-key']])
        return row?.until.getTime()
      }
      const first = attempt()
      await isBegun
      // The first attempt has advanced the clock beyond its own lease, so the second attempt takes over.
      const lease = await leasedUntil()
      const second = attempt()
      await expect.poll(leasedUntil).not.toBe(lease)
      open()
      expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200])
      expect(slow.ctx.clock.now().getTime() - before).toBeLessThan(2 * 3_600_000)
    } finally {
      open()
      await slow.stop()
    }
  })

  test.each([[-1], ['60'], [1.5], [null], [366 * 86_400 + 1], [1e300]])(
    'the sandbox clock rejects an advance by %o',
    async (seconds) => {
      expect(await advance(seconds)).toMatchObject({ status: 400, body: { kind: 'validation' } })
    },
  )

  test('the sandbox clock remembers its last hundred steps, and a repeated one does not advance it', async () => {
    const clock = await createSandboxClock(service.ctx.db)
    const steps = Array.from({ length: 105 }, () => randomUUID())
    for (const step of steps) await clock.advance(1, step)
    const before = await offset()
    for (const step of steps.slice(-100)) await clock.advance(1, step)
    expect(await offset()).toBe(before)
    const [row] = await service.ctx.db.query<{ steps: string[] }>('select steps from sandbox_clock where id = 1')
    expect(row?.steps).toEqual(steps.slice(-100).reverse())
  })

  test('the sandbox clock requires the password of the simulator', async () => {
    const refused = { status: 401, body: { success: false, error: 'SANDBOX_UNAUTHORIZED' } }
    expect(await service.request('GET', '/sandbox/clock')).toMatchObject(refused)
    expect(await service.request('POST', '/sandbox/clock', { body: { advanceSeconds: 1 } })).toMatchObject(refused)
  })
})

test('a sandbox without a chain lists its tokens and reports no chain', async () => {
  const tokens = await service.sandbox('GET', '/tokens')
  expect(tokens).toMatchObject({ status: 200, body: { data: service.ctx.config.tokens } })
  expect(Object.keys(tokens.body.data[0])).toEqual(['address', 'symbol', 'currency', 'decimals', 'chainId'])
  expect((await service.sandbox('GET', '/chain')).body).toEqual({ success: false, error: 'NO_CHAIN' })
  expect((await service.sandbox('GET', '/chain')).status).toBe(404)
  expect((await service.request('GET', '/sandbox/tokens')).status).toBe(401)
  expect((await service.request('GET', '/sandbox/chain')).status).toBe(401)
})
