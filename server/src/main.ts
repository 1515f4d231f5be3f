import { once } from 'node:events'
import { buildApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import type { Ctx, Providers } from './context.ts'
import { type Db, openDb } from './db/db.ts'
import { EmbeddedPostgresError, startEmbeddedPostgres } from './db/embedded.ts'
import { createDatabase, migrate } from './db/migrate.ts'
import { chores, dueWorks } from './due-work.ts'
import { createJobs } from './jobs/jobs.ts'
import { createLog } from './lib/log.ts'
import { createMetrics } from './lib/metrics.ts'
import { createPublicDomainProof } from './providers/domain-proof/public.ts'
import { createHttpIssuer } from './providers/issuer/http.ts'
import { sandboxProviders } from './providers/sandbox-providers.ts'
import { prepareKeys } from './tokens/keys.ts'

/** The life of the process: config → database → providers → ctx → api and workers → stop, in that order and back. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const life = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => life.abort())

  const stops: (() => Promise<unknown>)[] = []
  try {
    await start(config, life, stops)
    if (!life.signal.aborted) await once(life.signal, 'abort')
  } finally {
    // Backwards: requests in flight finish, loops stop, connections close, PostgreSQL last.
    life.abort()
    for (const stop of stops.reverse()) await stop()
  }
}

async function start(config: Config, life: AbortController, stops: (() => Promise<unknown>)[]): Promise<void> {
  const log = createLog(config.logLevel)
  const connection = await database(config, stops, () => life.abort())
  await migrate(connection)
  const db = openDb(connection, config, (error) => log.warn({ err: error }, 'an idle database connection ended'))
  stops.push(() => db.stop())

  const ctx: Ctx = { config, db, log, metrics: createMetrics(), ...(await providers(config, db)) }
  const jobs = createJobs(ctx, dueWorks, chores)
  if (config.roles.includes('worker')) {
    const loop = jobs.loop(life.signal)
    stops.push(() => loop)
  }
  if (config.roles.includes('api')) {
    await prepareKeys(ctx)
    const app = await buildApp(ctx, jobs)
    stops.push(() => app.close())
    await app.listen({ host: config.host, port: config.port })
    process.stdout.write(welcome(config))
  }
}

/** The one place that names adapters. Production adapters join here, each a case of its configuration value. */
async function providers(config: Config, db: Db): Promise<Providers> {
  switch (config.mode) {
    case 'sandbox': {
      const simulated = await sandboxProviders(config, db)
      const issuer = config.issuer === null ? simulated.issuer : createHttpIssuer(config.issuer, simulated.clock)
      const domainProof = config.domainProof === 'public' ? createPublicDomainProof() : simulated.domainProof
      return { ...simulated, issuer, domainProof }
    }
    case 'production':
      throw new Error('configuration allows production only with providers that exist')
  }
}

async function database(config: Config, stops: (() => Promise<unknown>)[], onEnd: () => void) {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl }
  const postgres = await startEmbeddedPostgres(config.dataDir)
  stops.push(() => postgres.stop())
  void postgres.ended.then(onEnd)
  await createDatabase(postgres.connection)
  return postgres.connection
}

function welcome(config: Config): string {
  const { base, api } = config.servers
  return `
Purser is ready, in sandbox mode: nothing here is real money.

  API         ${base}
  Reference   ${base}/docs        (document: ${base}/openapi.json)
  Sandbox     ${base}/sandbox     (HTTP Basic, user "simulator", password in SANDBOX_PASSWORD, default "sandbox")
  Data        ${config.databaseUrl === null ? config.dataDir : 'your PostgreSQL'}

Sign in: GET ${api}/api/v1/auth/nonce, sign an EIP-4361 message with domain "localhost",
POST it to ${api}/api/v1/auth/challenge. Or see it all happen: npm run example, in a second terminal.
Stop with Ctrl-C.

`
}

await main().catch((error: unknown) => {
  // Problems that the person at the terminal can mend are said without a stack.
  const isTheirs = error instanceof ConfigError || error instanceof EmbeddedPostgresError
  process.stderr.write(`${isTheirs ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
})
