import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeDeposit } from '../../src/money/deposits/deposits.ts'
import { controlsOf } from '../../src/sandbox/sandbox.ts'
import { activity } from '../support/run/cluster.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let other: pg.Client
beforeAll(async () => {
  service = await startService({ worker: false })
  other = new pg.Client(service.connection)
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await service.stop()
})

test('a lease that a deadlock aborts is retried', async () => {
  const { ctx } = service
  const { userId, accountAddress, token } = await service.newUser()
  const { chain, screening } = controlsOf(ctx)
  const amount = 10n ** 16n
  const depositIds: string[] = []
  for (const name of ['first', 'last']) {
    const to = { token: ctx.config.tokens[0]?.address ?? '', amount, toAddress: accountAddress }
    const transfer = chain.mineTransfer(`${userId} ${name}`, {
      ...to,
      chainId: 31337,
      fromAddress: screening.senderFor('approved'),
    })
    chain.setTransferState(transfer, 'final')
    depositIds.push((await seeDeposit(ctx, transfer))?.depositId ?? '')
  }
  const lock = (depositId?: string) =>
    other.query('select from deposit where user_id = $1 and deposit_id = $2 for update', [userId, depositId])

  // The other client detects deadlocks so late that PostgreSQL aborts the lease query instead.
  await other.query(`begin; set local deadlock_timeout = '30s'`)
  await lock(depositIds[1])
  const done = service.jobs.runDue()
  const waiting = `select from ${activity.view} where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await ctx.db.query(waiting)).length).toBe(1)
  await lock(depositIds[0])
  await other.query('commit')

  await done
  const { body } = await service.request('GET', '/user/balances/v2', { token })
  expect(body.data[0].spendable).toBe(String(2n * amount))
})
