import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { checkBooks } from './books.ts'
import { drill, say } from './needs.ts'
import { withInstallation } from './proxy.ts'
import { failedDecisions, report, seconds } from './report.ts'

/** The only worker and watcher is killed under load, and started again half a minute later. */
const programs = ['/usr/sbin/nginx', '/usr/bin/openssl'] as const
const downMilliseconds = 30_000

drill('cards work without a worker, and payouts continue when it is back', { programs }, () =>
  withInstallation(async ({ ground, postgres, workers, load }) => {
    await load.more(150)
    say('killing the worker')
    for (const worker of workers) await worker.kill()
    await delay(downMilliseconds)
    await load.more(50)
    const before = await paidCount()
    const requested = load.people.reduce((sum, { withdrawals }) => sum + withdrawals.length, 0)
    say('starting a worker')
    const startedAt = performance.now()
    await ground.start(postgres.connection, { ROLES: 'worker,watcher' })
    await expect.poll(paidCount).toBeGreaterThan(before)
    const figures = {
      'Withdrawals that waited for a worker': String(requested - before),
      'From the start of the worker to the next payout': seconds(performance.now() - startedAt),
    }
    await load.more(50)
    await load.stop()
    expect(failedDecisions(load.seen)).toEqual([])
    const books = await checkBooks(ground, load, { connection: postgres.connection })
    await report('lost-worker', { load, books, figures })

    async function paidCount(): Promise<number> {
      const payees = new Set<string>(load.people.map(({ wallet }) => wallet.address))
      return (await ground.chain.transfers()).filter(({ to }) => payees.has(to)).length
    }
  }),
)
