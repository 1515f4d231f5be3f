import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeDeposit } from '../../src/money/deposits/deposits.ts'
import { createJobs } from '../../src/platform/jobs/jobs.ts'
import { controlsOf } from '../../src/sandbox/sandbox.ts'
import { lockWaits } from '../support/run/cluster.ts'
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

/** Records deposits of a new user, which are then due. */
async function dueDeposits(names: readonly string[]) {
  const { ctx } = service
  const user = await service.newUser()
  const { chain, screening } = controlsOf(ctx)
  const amount = 10n ** 16n
  const depositIds: string[] = []
  for (const name of names) {
    const transfer = chain.mineTransfer(`${user.userId} ${name}`, {
      ...{ token: ctx.config.tokens[0]?.address ?? '', amount, toAddress: user.accountAddress, chainId: 31337 },
      fromAddress: screening.senderFor('approved'),
    })
    chain.setTransferState(transfer, 'final')
    depositIds.push((await seeDeposit(ctx, transfer))?.depositId ?? '')
  }
  return { ...user, amount, depositIds }
}

test('work that failed for an hour resumes within a minute of the recovery', async () => {
  const { ctx } = service
  // POST /sandbox/clock would also run the due work of the service.
  const { clock } = controlsOf(ctx)
  const { depositIds } = await dueDeposits(Array.from({ length: 40 }, (_, i) => `of the outage ${i}`))
  let isDown = true
  const done = new Set<string>()
  const work = {
    table: 'deposit',
    id: 'deposit_id',
    async run(_ctx: unknown, { userId, id }: { userId: string; id: string }) {
      if (isDown) throw new Error('the vendor does not respond')
      await ctx.db.query('update deposit set due_at = null where user_id = $1 and deposit_id = $2', [userId, id])
      done.add(id)
    },
  }
  const jobs = createJobs(ctx, [work], [])
  for (let seconds = 0; seconds < 3600; seconds += 20) {
    await jobs.runDue()
    await clock.advance(20)
  }
  isDown = false
  await clock.advance(60)
  await jobs.runDue()
  expect([...done].sort()).toEqual(depositIds.sort())
})

test('a row that hangs delays no other row of its table, and a stop of the loop waits for it', async () => {
  const { ctx } = service
  const { depositIds } = await dueDeposits(['that hangs'])
  const hanging = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const ended: string[] = []
  const work = {
    table: 'deposit',
    id: 'deposit_id',
    async run(_ctx: unknown, { userId, id }: { userId: string; id: string }) {
      begun.resolve()
      if (depositIds.includes(id)) await hanging.promise
      await ctx.db.query('update deposit set due_at = null where user_id = $1 and deposit_id = $2', [userId, id])
      ended.push(id)
    },
  }
  const life = new AbortController()
  const jobs = createJobs(ctx, [work], [])
  const loop = jobs.loop(life.signal).then(() => ended.push('the loop'))
  await begun.promise
  const later = await dueDeposits(['that is due later'])
  await expect.poll(() => ended).toEqual(later.depositIds)
  const due = jobs.runDue().then(() => ended.push('all due work'))
  life.abort()
  hanging.resolve()
  await Promise.all([loop, due])
  expect(ended.slice(0, 2)).toEqual([...later.depositIds, ...depositIds])
  expect(ended.slice(2).sort()).toEqual(['all due work', 'the loop'])
})

// A cluster has no triggers on tables of users.
test.skipIf(process.env['TEST_CLUSTER'])(
  'a round of due work does not end before its last row, even if the lease of another row fails',
  async () => {
    const { ctx } = service
    const { depositIds } = await dueDeposits(['that cannot be leased', 'that is worked on'])
    const [broken, working] = depositIds
    await other.query(`create function reject() returns trigger language plpgsql as $$ begin raise 'rejected'; end $$;
    create trigger reject before update on deposit for each row when (old.deposit_id = '${broken}') execute function reject()`)
    const ended: string[] = []
    const failed = Promise.withResolvers<void>()
    const query = <Row>(text: string, values?: readonly unknown[]) =>
      ctx.db.query<Row>(text, values).catch((error: unknown) => {
        failed.resolve()
        throw error
      })
    const work = {
      table: 'deposit',
      id: 'deposit_id',
      async run(_ctx: unknown, { userId, id }: { userId: string; id: string }) {
        await failed.promise
        await ctx.db.query('update deposit set due_at = null where user_id = $1 and deposit_id = $2', [userId, id])
        ended.push(id)
      },
    }
    const round = createJobs({ ...ctx, db: { ...ctx.db, query } }, [work], []).runDue()
    await expect(round.finally(() => ended.push('the round'))).rejects.toThrow('rejected')
    await other.query(`drop trigger reject on deposit; drop function reject;
    update deposit set due_at = null where deposit_id = '${broken}'`)
    expect(ended).toEqual([working, 'the round'])
  },
)

// A cluster chooses which transaction of a deadlock it aborts.
test.skipIf(process.env['TEST_CLUSTER'])('a lease that a deadlock aborts is retried', async () => {
  const { ctx } = service
  const { userId, token, amount, depositIds } = await dueDeposits(['first', 'last'])
  const lock = (depositId?: string) =>
    other.query('select from deposit where user_id = $1 and deposit_id = $2 for update', [userId, depositId])

  // The other client detects deadlocks so late that PostgreSQL aborts the lease query instead.
  await other.query(`begin; set local deadlock_timeout = '30s'`)
  await lock(depositIds[1])
  const done = service.jobs.runDue()
  await expect.poll(async () => (await ctx.db.query(lockWaits)).length).toBe(1)
  await lock(depositIds[0])
  await other.query('commit')

  await done
  const { body } = await service.request('GET', '/user/balances/v2', { token })
  expect(body.data[0].spendable).toBe(String(2n * amount))
})
