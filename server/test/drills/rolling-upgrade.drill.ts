import { expect } from 'vitest'
import { makeNextVersion } from '../faults/next-version.ts'
import type { Process } from '../proof/processes.ts'
import { checkBooks } from './books.ts'
import { drill, say } from './needs.ts'
import { portOf, withInstallation } from './proxy.ts'
import { failedAttempts, report, seconds } from './report.ts'

/**
 * Two API processes and two workers are replaced by the next version, one by one and under load. The first new process
 * changes every table while the old version works on it.
 */
const programs = ['/usr/sbin/nginx', '/usr/bin/openssl'] as const
drill('no request fails during a rolling upgrade, and no card decision is late', { programs }, () =>
  withInstallation(
    async ({ ground, postgres, apis, workers, nginx, load }) => {
      const next = await makeNextVersion()
      ground.onStop(next.remove)
      const startNext = (ROLES: string) => ground.start(postgres.connection, { ROLES }, next.main)
      await load.more(150)
      const startedAt = performance.now()
      let migrated: number | null = null
      const serving: Process[] = [...apis]
      for (const old of apis) {
        say('starting an API process of the next version')
        const upgraded = await startNext('api')
        migrated ??= performance.now() - startedAt
        serving.push(upgraded)
        await nginx.reload(serving.map(portOf))
        // Both versions serve requests.
        await load.more(100)
        say('stopping an API process of the old version')
        serving.splice(serving.indexOf(old), 1)
        await nginx.reload(serving.map(portOf))
        await old.kill('SIGTERM')
        await load.more(50)
      }
      for (const old of workers) {
        say('replacing a worker')
        await startNext('worker,watcher')
        await load.more(50)
        await old.kill('SIGTERM')
        await load.more(50)
      }
      const endedAt = performance.now()
      await load.more(100)
      await load.stop()
      expect(failedAttempts(load.seen)).toEqual([])
      // A migration gives up its wait for a table long before the deadline of a card message.
      expect(load.seen.filter(({ result }) => result === 'TMO')).toEqual([])
      const books = await checkBooks(ground, load, { connection: postgres.connection })
      await report('rolling-upgrade', {
        load,
        books,
        figures: {
          'Start of the first new process, with its migration of all tables': seconds(migrated ?? 0),
          'Duration of the upgrade': seconds(endedAt - startedAt),
        },
      })
    },
    { workerCount: 2 },
  ),
)
