import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { checkBooks } from './books.ts'
import { newCluster, postgresShell, startCluster, stopCluster } from './cluster.ts'
import { startGround } from './ground.ts'
import { startLoad } from './load.ts'
import { drill, say } from './needs.ts'
import { failedDecisions, report, seconds, untilDecision } from './report.ts'

/** The disk of PostgreSQL fills up under load. The operator frees space, and starts PostgreSQL if it has ended. */
const call = promisify(execFile)
const programs = ['/usr/lib/postgresql/15/bin/pg_basebackup'] as const
const settings = 'max_wal_size = 64MB\nmin_wal_size = 32MB\n'
const fullMilliseconds = 10_000

drill(
  'a full disk loses no acknowledged write, and the service continues when there is room',
  { programs, root: true },
  async () => {
    const ground = await startGround()
    try {
      const shell = await postgresShell(ground.folder)
      const disk = await shell.newFolder(join(ground.folder, 'disk'))
      await call('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=777', 'tmpfs', disk])
      ground.onStop(() => call('umount', [disk]))
      const cluster = await newCluster(shell, join(disk, 'cluster'), settings)
      ground.onStop(() => stopCluster(shell, cluster))
      const service = await ground.start(cluster.connection)
      const load = await startLoad(ground, service.url, () => [{ url: service.url }])
      await load.more(100)

      say('filling the disk')
      await shell.run(`dd if=/dev/zero of=${disk}/ballast bs=64k 2>/dev/null || true`)
      await expect.poll(() => failedDecisions(load.seen).length).toBeGreaterThan(0)
      const readiness = new Set<number>()
      for (const until = performance.now() + fullMilliseconds; performance.now() < until; await delay(200)) {
        readiness.add((await fetch(`${service.url}/health/ready`)).status)
      }
      expect(readiness).toContain(503)
      const isRunning = () =>
        shell.run(`pg_ctl -D ${cluster.data} status`).then(
          () => true,
          () => false,
        )
      const hasSurvived = await isRunning()
      say(`making room; PostgreSQL ${hasSurvived ? 'runs' : 'has ended'}`)
      const roomAt = performance.now()
      await shell.run(`rm ${disk}/ballast`)
      if (!hasSurvived) await startCluster(shell, cluster)
      await load.more(100)
      await load.stop()
      const books = await checkBooks(ground, load, { connection: cluster.connection })
      const figures = {
        'PostgreSQL while its disk was full': hasSurvived ? 'ran' : 'ended, and was started again',
        'From the freeing of the space to the next card decision': seconds(untilDecision(load.seen, roomAt)),
      }
      await report('full-disk', { load, books, figures })
    } finally {
      await ground.stop()
    }
  },
)
