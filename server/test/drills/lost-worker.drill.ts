import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { checkBooks, unpaidWithdrawals } from './books.ts'
import { drill, say } from './needs.ts'
import { type Worker, withInstallation } from './proxy.ts'
import { failedAttempts, report, seconds } from './report.ts'

/**
 * Two processes each have the roles `worker` and `watcher`. One is killed under load, then the other. Half a minute
 * later, a new one starts.
 */
const programs = ['/usr/sbin/nginx', '/usr/bin/openssl'] as const
const downMilliseconds = 30_000

drill('a worker takes over from one that is killed, and cards work without any', { programs }, () =>
  withInstallation(
    async ({ ground, postgres, workers, load }) => {
      const [first, second] = workers
      if (first === undefined || second === undefined) throw new Error('two workers must run')
      const client = new pg.Client(postgres.connection)
      await client.connect()
      ground.onStop(() => client.end())
      const unpaidOf = async (ids: readonly string[]) =>
        (await unpaidWithdrawals(ground, load)).filter((id) => ids.includes(id))
      await load.more(150)
      say('killing one of two workers while it works on a withdrawal')
      const open = await killAtWork(client, first)
      const killedAt = performance.now()
      await load.more(50)
      await expect.poll(() => unpaidOf(open)).toEqual([])
      const takenOver = performance.now() - killedAt
      say('killing the other one')
      await second.kill()
      await delay(downMilliseconds)
      await load.more(50)
      const waiting = await unpaidWithdrawals(ground, load)
      expect(waiting.length).toBeGreaterThan(0)
      say('starting a worker')
      const startedAt = performance.now()
      await ground.start(postgres.connection, { ROLES: 'worker,watcher' })
      await expect.poll(async () => (await unpaidOf(waiting)).length).toBeLessThan(waiting.length)
      const figures = {
        'Withdrawals that the first worker worked on when it was killed': String(open.length),
        'From that kill until all of these were paid': seconds(takenOver),
        'Withdrawals that waited without a worker': String(waiting.length),
        'From the start of a worker to the next payout': seconds(performance.now() - startedAt),
      }
      await load.more(50)
      await load.stop()
      expect(failedAttempts(load.seen)).toEqual([])
      const books = await checkBooks(ground, load, { connection: postgres.connection })
      await report('lost-worker', { load, books, figures })
    },
    { workerCount: 2 },
  ),
)

/**
 * Kills a worker while it works on withdrawals, and returns their ids. The worker is paused during each query, so that
 * no withdrawal ends between the query and the kill.
 */
async function killAtWork(client: pg.Client, worker: Worker): Promise<string[]> {
  for (;;) {
    worker.child.kill('SIGSTOP')
    const leased = await leasedBy(client, worker)
    if (leased.length > 0) {
      await worker.kill()
      return leased
    }
    worker.child.kill('SIGCONT')
    await delay(50)
  }
}

/** Returns the withdrawals that a worker has leased. A lease ends in a minute. Other work is due again much earlier. */
async function leasedBy(client: pg.Client, { metricsUrl }: Worker): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select withdrawal_id::text as id from withdrawal join service_process on process_id = leased_by
     where address like '%' || $1 and due_at > now() + interval '40 seconds'`,
    [metricsUrl],
  )
  return rows.map(({ id }) => id)
}
