import { randomUUID } from 'node:crypto'
import { readConfig } from '../server/src/config/config.ts'
import type { Ctx } from '../server/src/context.ts'
import { depositWork } from '../server/src/money/deposits/jobs.ts'
import { incomingTransferWork } from '../server/src/money/watcher/jobs.ts'
import { createWatcher } from '../server/src/money/watcher/watcher.ts'
import { createCaches } from '../server/src/platform/cache/caches.ts'
import { openDb } from '../server/src/platform/db/db.ts'
import { createJobs } from '../server/src/platform/jobs/jobs.ts'
import { createLog } from '../server/src/platform/observability/log.ts'
import { createMetrics } from '../server/src/platform/observability/metrics.ts'
import { createEvmNodes } from '../server/src/providers/chain/evm-transfers.ts'
import { sandboxProviders } from '../server/src/providers/sandbox-providers.ts'

/**
 * Runs only the chain work of the service: the role `watcher` reads the chain, the role `worker` updates the books. The
 * service itself would first set up tokens, wallets and blocks of the sandbox's chain.
 */
const config = readConfig(process.env)
const log = createLog(config.logLevel)
const life = new AbortController()
process.once('SIGTERM', () => life.abort())
const connection = { connectionString: config.databaseUrl ?? '' }
const db = openDb(connection, config, (error) => log.warn({ err: error }, 'an idle database connection ended'))
const { chain, ...providers } = await sandboxProviders(config, db)
const watched = { ...chain, transferState: null }
const ctx: Ctx = {
  config,
  processId: randomUUID(),
  db,
  log,
  metrics: createMetrics(),
  caches: createCaches(),
  ...providers,
  chain: watched,
}
const loops = config.roles.flatMap((role) => {
  if (role === 'worker') return createJobs(ctx, [incomingTransferWork, depositWork], []).loop(life.signal)
  return config.chains.map((each) => createWatcher(ctx, each, createEvmNodes(each)).loop(life.signal))
})
await Promise.all(loops)
await db.stop()
