import { expect } from 'vitest'
import { checkBooks } from './books.ts'
import { drill, say } from './needs.ts'
import { portOf, withInstallation } from './proxy.ts'
import { failedAttempts, report, seconds, untilDecision } from './report.ts'

/** One of two API processes is killed under load. */
const programs = ['/usr/sbin/nginx', '/usr/bin/openssl'] as const
drill('only writes in flight fail when one of two API processes is killed', { programs }, () =>
  withInstallation(
    async ({ ground, postgres, apis, load }) => {
      await load.more(150)
      const [killed] = apis
      if (killed === undefined) throw new Error('no process runs')
      say('killing an API process')
      const killedAt = performance.now()
      await killed.kill()
      await load.more(150)
      say('starting it again')
      await ground.start(postgres.connection, { ROLES: 'api', PORT: String(portOf(killed)) })
      await load.more(150)
      await load.stop()
      // Only writes in flight at the killed process fail. nginx sends a read again, but not a write that a process
      // may have received.
      const failed = failedAttempts(load.seen)
      expect(failed.filter((each) => !/^(card message|withdrawal): 502 of the proxy$/.test(each))).toEqual([])
      expect(failed.length).toBeLessThanOrEqual(load.people.length)
      const books = await checkBooks(ground, load, { connection: postgres.connection })
      const figures = { 'From the kill to the next card decision': seconds(untilDecision(load.seen, killedAt)) }
      await report('lost-api', { load, books, figures })
    },
    { workerCount: 2 },
  ),
)
