import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp, buildHealthApp } from './app.ts'
import { ownChain } from './config/chains.ts'
import { type Config, ConfigError, readConfig } from './config/config.ts'
import type { Ctx, Providers } from './context.ts'
import { chores, dueWorks } from './due-work.ts'
import { prepareKeys } from './identity/access-tokens/keys.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { StartError } from './lib/errors.ts'
import { rejectMissingTokens } from './money/reconcile/lost-tokens.ts'
import { createWatcher } from './money/watcher/watcher.ts'
import { createCaches } from './platform/cache/caches.ts'
import { type Db, openDb } from './platform/db/db.ts'
import { createDatabase, migrate } from './platform/db/migrate.ts'
import { createJobs } from './platform/jobs/jobs.ts'
import { createLog } from './platform/observability/log.ts'
import { createMetrics } from './platform/observability/metrics.ts'
import { startOwnChain } from './providers/anvil/own-chain.ts'
import { AnvilError } from './providers/anvil/process.ts'
import { chainProviders } from './providers/chain-providers.ts'
import { createPublicDomainProof } from './providers/domain-proof/public.ts'
import { sandboxProviders } from './providers/sandbox-providers.ts'
import { createEvmSignatures } from './providers/signatures/evm.ts'
import { startEmbeddedPostgres } from './sandbox/embedded-postgres.ts'

/** The life of the process: config → database → providers → ctx → api and workers → stop, in that order and back. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const life = new AbortController()
  // Each as often as it comes: npm passes on what a terminal has sent already, and a second one would cut the stop short.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => life.abort())

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

async function start(given: Config, life: AbortController, stops: (() => Promise<unknown>)[]): Promise<void> {
  const log = createLog(given.logLevel)
  const without = (what: string) => () => {
    if (life.signal.aborted) return
    process.stderr.write(`${what} has ended by itself, and Purser stops: nothing works without it.\n`)
    process.exitCode = 1
    life.abort()
  }
  const connection = await database(given, stops, without('PostgreSQL'))
  const [config] = await Promise.all([
    withOwnChain(given, log, stops, without("The sandbox's own chain")),
    migrate(connection),
  ])
  const db = openDb(connection, config, (error) => log.warn({ err: error }, 'an idle database connection ended'))
  stops.push(() => db.stop())
  await rejectMissingTokens({ config, db })

  const ctx: Ctx = {
    config,
    db,
    log,
    metrics: createMetrics(),
    caches: createCaches(),
    ...(await providers(config, db, log)),
  }
  const jobs = createJobs(ctx, dueWorks, chores)
  if (config.roles.includes('worker')) {
    const loop = jobs.loop(life.signal)
    stops.push(() => loop)
  }
  if (config.roles.includes('watcher')) {
    // Longer than all else but the database: what the last requests bring about on a chain of the sandbox is read, too.
    const reading = new AbortController()
    const loops = ctx.custody.map((chain) => createWatcher(ctx, chain, chain.nodes).loop(reading.signal))
    stops.push(() => {
      reading.abort()
      return Promise.all(loops)
    })
  }
  async function listen(app: FastifyInstance, name: string, port: number, reusePort = false): Promise<void> {
    stops.push(() => app.close())
    // Fastify hands on to Node what it has no name for.
    const address = { host: config.host, port, reusePort }
    await app.listen(address).catch((error: Error & { code?: string }) => {
      const reason = whyNotListening[error.code ?? ''] ?? error.message
      throw new StartError(`Purser cannot listen on ${config.host}:${port}: ${reason}. Set another ${name} or HOST.`)
    })
  }
  if (config.metricsPort !== null) await listen(buildHealthApp(ctx), 'METRICS_PORT', config.metricsPort)
  if (config.roles.includes('api')) {
    await prepareKeys(ctx)
    await listen(await buildApp(ctx, jobs), 'PORT', config.port, config.sharesPort)
  }
  process.stdout.write(welcome(config))
  setTimeout(giveBack, settledMilliseconds).unref()
}

const whyNotListening: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program does already',
  EACCES: 'ports below 1024 are for root',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'the name has no address',
}

const settledMilliseconds = 1_000

/** What only the start needed, some 30 MB, would stay for minutes: see docs/decisions/0009. */
function giveBack(): void {
  globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' })
}

/** The one place that names adapters. Production adapters join here, each a case of its configuration value. */
async function providers(config: Config, db: Db, log: Logger): Promise<Providers> {
  const attached = config.chain === 'evm' ? await chainProviders(config, log) : undefined
  switch (config.mode) {
    case 'sandbox': {
      const simulated = await sandboxProviders(config, db, attached)
      return { ...simulated, ...(await vendors(config, simulated.clock)) }
    }
    case 'production': {
      const { issuer, cardDetails, screening, kyc, mail, domainProof, iban = null } = await vendors(config, systemClock)
      if (!attached || !issuer || !cardDetails || !screening || !kyc || !mail || !domainProof) {
        throw new Error('the configuration let production through without a provider')
      }
      const { chain, sweeper, custody } = attached
      const named = { issuer, cardDetails, chain, sweeper, custody, screening, kyc, mail, iban, domainProof }
      return {
        ...named,
        clock: systemClock,
        rates: null,
        signatures: createEvmSignatures(config.chains),
        sandbox: null,
      }
    }
  }
}

/** The ports whose configuration names a vendor. They, and the libraries behind them, are loaded only where they are used. */
async function vendors(
  { issuer, screening, kyc, mail, iban, offersIbans, domainProof, tokens }: Config,
  clock: Clock,
): Promise<Partial<Providers>> {
  return {
    ...(issuer && {
      issuer: (await import('./providers/issuer/http.ts')).createHttpIssuer(issuer, clock),
      cardDetails: (await import('./providers/card-details/http.ts')).createHttpCardDetails(issuer, clock),
    }),
    ...(screening && {
      screening: (await import('./providers/screening/chainalysis.ts')).createChainalysis(screening, tokens),
    }),
    ...(kyc && { kyc: (await import('./providers/kyc/sumsub.ts')).createSumsub(kyc, clock) }),
    ...(mail && { mail: (await import('./providers/mail/smtp.ts')).createSmtpMail(mail) }),
    ...(iban && { iban: (await import('./providers/iban/monerium.ts')).createMonerium(iban, clock) }),
    ...(!offersIbans && { iban: null }),
    ...(domainProof === 'public' && { domainProof: createPublicDomainProof() }),
  }
}

/** The sandbox's own chain takes the place of nodes; where it cannot run, deposits and payments are simulated. */
async function withOwnChain(config: Config, log: Logger, stops: (() => Promise<unknown>)[], onEnd: () => void) {
  if (config.chain !== 'anvil') return config
  try {
    const chainId = config.tokens[0]?.chainId ?? 0
    const anvil = await startOwnChain(config.dataDir, chainId)
    stops.push(() => anvil.stop())
    void anvil.ended.then(onEnd)
    return { ...config, chain: 'evm', chains: [...config.chains, ownChain(chainId, anvil.url)] } as const
  } catch (error) {
    if (!(error instanceof AnvilError)) throw error
    log.warn({ err: error }, 'the sandbox has no chain of its own: deposits and payments are simulated')
    return { ...config, chain: 'simulated' } as const
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
  const { chain, chains, roles } = config
  const { base, api } = config.servers
  if (!roles.includes('api')) return `Purser is ready: ${roles.join(', ')}\n`
  if (config.mode === 'production') return `Purser is ready: ${base}\n`
  return `
Purser is ready, in sandbox mode: nothing here is real money.

  API         ${base}
  Reference   ${base}/docs        (document: ${base}/openapi.json)
  Sandbox     ${base}/sandbox/…   (HTTP Basic, user "simulator", password in SANDBOX_PASSWORD, default "sandbox")
  Chain       ${chain === 'evm' ? chains.map(({ chainId, rpcUrls }) => `${rpcUrls[0]} (chain ${chainId})`).join(', ') : 'simulated'}
  Data        ${config.databaseUrl === null ? config.dataDir : 'your PostgreSQL'}

Sign in: GET ${api}/api/v1/auth/nonce, sign an EIP-4361 message with domain "localhost",
POST it to ${api}/api/v1/auth/challenge. Or see it all happen: npm run example, in a second terminal.
Stop with Ctrl-C.

`
}

await main().catch((error: unknown) => {
  // Problems that the person at the terminal can mend are said without a stack.
  const isTheirs = error instanceof ConfigError || error instanceof StartError
  process.stderr.write(`${isTheirs ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
})
