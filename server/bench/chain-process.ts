import { readConfig } from '../src/config.ts'
import type { Ctx } from '../src/context.ts'
import { openDb } from '../src/db/db.ts'
import { depositWork } from '../src/deposits/jobs.ts'
import { createJobs } from '../src/jobs/jobs.ts'
import { createLog } from '../src/lib/log.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { createEvmNodes } from '../src/providers/chain/evm-transfers.ts'
import { sandboxProviders } from '../src/providers/sandbox-providers.ts'
import { incomingTransferWork } from '../src/watcher/jobs.ts'
import { createWatcher } from '../src/watcher/watcher.ts'

/**
 * What the service does with a chain, and nothing else: the role `watcher` reads it, the role `worker` lets the books follow.
 * The service itself would make an Anvil the sandbox's own chain first: tokens, wallets and blocks that nobody measures.
 */
const config = readConfig(process.env)
const log = createLog(config.logLevel)
const life = new AbortController()
process.once('SIGTERM', () => life.abort())
const connection = { connectionString: config.databaseUrl ?? '' }
const db = openDb(connection, config, (error) => log.warn({ err: error }, 'an idle database connection ended'))
const { chain, ...providers } = await sandboxProviders(config, db)
const watched = { ...chain, transferState: null }
const ctx: Ctx = { config, db, log, metrics: createMetrics(), ...providers, chain: watched }
const loops = config.roles.flatMap((role) => {
  if (role === 'worker') return createJobs(ctx, [incomingTransferWork, depositWork], []).loop(life.signal)
  return config.chains.map((each) => createWatcher(ctx, each, createEvmNodes(each)).loop(life.signal))
})
await Promise.all(loops)
await db.stop()
