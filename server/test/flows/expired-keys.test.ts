import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { idempotencyChore } from '../../src/platform/idempotency/jobs.ts'
import { testMarker } from '../support/run/statement-rules.ts'
import { type Person, useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })

const phone = '+4915112345678'
const countKeys = async ({ userId }: Person) => {
  const [row] = await service.ctx.db.query<{ count: bigint }>(
    'select count(*) from idempotency_key where user_id = $1',
    [userId],
  )
  return Number(row?.count)
}
const prune = () => idempotencyChore.run(service.ctx, new AbortController().signal)
const withdraw = ({ ask }: Person, amount: string, key: string) =>
  ask(
    'POST',
    '/user/withdrawal',
    { tokenAddress: service.ctx.config.tokens[0]?.address, amount },
    { 'idempotency-key': key },
  )

test('after a day, only the stored responses of requests that moved money remain', async () => {
  const { alice } = await world({ eur: 100 })
  const [paid, poor, card] = [randomUUID(), randomUUID(), randomUUID()]
  const withdrawal = await withdraw(alice, '1000', paid)
  expect(withdrawal.status).toBe(201)
  expect((await withdraw(alice, '9'.repeat(30), poor)).body.error).toBe('INSUFFICIENT_FUNDS')
  const createCard = () =>
    alice.ask('POST', '/cards/virtual', { cardName: 'Travel', phone }, { 'idempotency-key': card })
  const created = await createCard()
  expect(created.status).toBe(201)

  await service.sandbox('POST', '/clock', { advanceSeconds: 23 * 3600 })
  await prune()
  expect(await countKeys(alice)).toBe(3)
  expect((await createCard()).text).toBe(created.text)

  await service.sandbox('POST', '/clock', { advanceSeconds: 2 * 3600 })
  await prune()
  expect(await countKeys(alice)).toBe(1)
  const again = await withdraw(alice, '1000', paid)
  expect([again.status, again.text]).toEqual([201, withdrawal.text])
  // The key of an expired response is free for another request.
  expect((await withdraw(alice, '2000', poor)).status).toBe(201)
})

test('a user keeps at most 1000 stored responses that expire, and every response that moved money', async () => {
  const { alice } = await world({ eur: 100 })
  const paid = randomUUID()
  const withdrawal = await withdraw(alice, '1000', paid)
  const now = service.ctx.clock.now()
  const old = Array.from({ length: 1100 }, (_, i) => [`old ${i}`, new Date(now.getTime() + i)] as const)
  await service.ctx.db.query(
    `${testMarker}
     insert into idempotency_key (user_id, key, request_hash, ref_id, status, body, lease_until, created_at, expires_at)
     select $1, key, '', $1, 422, '{}', $2, $2, expires_at from unnest($3::text[], $4::timestamptz[]) as k (key, expires_at)`,
    [alice.userId, now, old.map(([key]) => key), old.map(([, expiresAt]) => expiresAt)],
  )
  const newest = randomUUID()
  const rejected = await withdraw(alice, '9'.repeat(30), newest)
  await withdraw(alice, '9'.repeat(30), randomUUID())
  expect(await countKeys(alice)).toBe(1001)
  expect((await withdraw(alice, '9'.repeat(30), newest)).text).toBe(rejected.text)
  expect((await withdraw(alice, '1000', paid)).text).toBe(withdrawal.text)
})

test('expired idempotency keys of many users are deleted in batches', async () => {
  const people = Object.values(await world({}, 'alice', 'bob', 'carol'))
  const now = service.ctx.clock.now()
  for (const { userId } of people) {
    await service.ctx.db.query(
      `${testMarker}
       insert into idempotency_key (user_id, key, request_hash, ref_id, status, body, lease_until, created_at, expires_at)
       select $1, 'key ' || n, '', $1, 422, '{}', $2, $2, $2 from generate_series(1, 400) as n`,
      [userId, now],
    )
  }
  await prune()
  expect(await Promise.all(people.map(countKeys))).toEqual([0, 0, 0])
})
