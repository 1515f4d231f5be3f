import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '../../src/platform/db/db.ts'
import { createTestDatabase, startService, type TestService } from '../support/service.ts'
import { populate } from '../support/world.ts'

/** Runs the service on a database with a stricter default isolation level, beside another client that takes locks. */
let service: TestService
let other: pg.Client
beforeAll(async () => {
  const connection = await createTestDatabase()
  other = new pg.Client(connection)
  await other.connect()
  await other.query(`alter database ${connection.database} set default_transaction_isolation = 'serializable'`)
  service = await startService({ connection, worker: false })
})
afterAll(async () => {
  await other.end()
  await service.stop()
})

test('racing purchases do not fail where the database defaults to serializable transactions', {
  tags: ['fault-3'],
}, async () => {
  const { alice } = await populate(service, { eur: 100, card: true })
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => alice.try('authorization', '10.00', { authorization_code: undefined })),
  )
  expect(replies.filter(({ status }) => status !== 200)).toEqual([])
  expect(replies.filter(({ body }) => body.status === 'approved')).toHaveLength(10)
  expect(await alice.money()).toEqual({ own: 0n, held: 10_000n, network: 0n })
  await alice.assertBooks()
})

test('a purchase that PostgreSQL aborts as a deadlock victim is retried and decided once', async () => {
  const { alice } = await populate(service, { eur: 100, card: true })
  const { userId } = alice
  // With this long timeout of the other client, the purchase detects the deadlock first and is the one to abort.
  await other.query(`begin isolation level read committed; set local deadlock_timeout = '30s'`)
  await other.query('select from ledger_balance where user_id = $1 for update', [userId])
  const purchase = alice.try('authorization', '10.00')
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await service.ctx.db.query(waiting)).length).toBe(1)
  await other.query('select from account where user_id = $1 for update', [userId])
  await other.query('commit')

  expect((await purchase).body).toMatchObject({ status: 'approved' })
  expect(await alice.money()).toEqual({ own: 9000n, held: 1000n, network: 0n })
  expect(await alice.cardRows()).toHaveLength(1)
  await alice.assertBooks()
})

test('a serialization failure in one of several pipelined statements retries the whole transaction', async () => {
  await other.query(`
    create sequence attempts;
    create function fail_once() returns void language plpgsql as $$
    begin
      if nextval('attempts') = 1 then raise exception 'serialization failure' using errcode = '40001'; end if;
    end $$`)
  // The failed statement settles after the successful one.
  const rejectLate = (result: Promise<unknown>) =>
    result.catch(async (error) => {
      await delay(10)
      throw error
    })
  const results = service.ctx.db.transaction((tx) =>
    Promise.all([rejectLate(tx.query('select fail_once()')), tx.query('select 2 as attempts')]),
  )
  expect((await results)[1]).toEqual([{ attempts: 2 }])
})

test('a transaction that ignores a failed statement is rejected, unless a savepoint was rolled back', async () => {
  const { db } = service.ctx
  const broken = (tx: Tx) => tx.query('select 1 / 0')
  await expect(db.transaction((tx) => broken(tx).catch(() => {}))).rejects.toThrow('division by zero')
  await db.transaction((tx) => tx.savepoint(() => broken(tx)).catch(() => {}))
})
