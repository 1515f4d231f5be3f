import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp, buildHealthApp } from './app.ts'
import { ownChain } from './config/chains.ts'
import { type Config, withChain } from './config/config.ts'
import type { Ctx, Providers } from './context.ts'
import { chores, dueWorks, leases } from './due-work.ts'
import { beginDecisionLog } from './events/sealed-log.ts'
import { prepareKeys } from './identity/access-tokens/keys.ts'
import { systemClock } from './lib/clock.ts'
import { StartError } from './lib/errors.ts'
import { waitForAll } from './lib/wait-for-all.ts'
import { rejectMissingTokens } from './money/reconcile/missing-tokens.ts'
import { createWatcher } from './money/watcher/watcher.ts'
import { checkSigner } from './money/withdrawals/payout-wallet.ts'
import { createCaches } from './platform/cache/caches.ts'
import { useSecrets } from './platform/crypto/secrets-in-use.ts'
import type { Db } from './platform/db/db.ts'
import { requireDistribution } from './platform/db/distribute.ts'
import { createDatabase, migrate } from './platform/db/migrate.ts'
import type { DatabaseRole } from './platform/db/privileges.ts'
import { openDatabases, requireRoles } from './platform/db/roles.ts'
import { createJobs, type Jobs } from './platform/jobs/jobs.ts'
import { raiseAlarm } from './platform/observability/alarms.ts'
import { createLog } from './platform/observability/log.ts'
import { createMetrics } from './platform/observability/metrics.ts'
import { openTraces, type Traces } from './platform/observability/traces.ts'
import { leaveProcesses, replaceDeadProcess } from './platform/processes/processes.ts'
import { joinProgramme, requireMode } from './platform/programme/programme.ts'
import { startOwnChain } from './providers/anvil/own-chain.ts'
import { AnvilError } from './providers/anvil/process.ts'
import type { SandboxClock } from './providers/clock/sandbox.ts'
import { openProviders } from './providers/open-providers.ts'
import { startEmbeddedPostgres } from './sandbox/embedded-postgres.ts'
import { readSwitches } from './switches/switches.ts'

/** A service that accepts requests. */
export type Running = {
  /** The configuration, with the sandbox's own chain where one was started. */
  readonly config: Config
  /** Where the API listens. Null without the role `api`. */
  readonly url: string | null
  /** Where health and metrics listen. Null without METRICS_PORT. */
  readonly metricsUrl: string | null
}

type Life = {
  /** Aborts when the embedder wants a stop, or when a part of the service has ended by itself. */
  readonly signal: AbortSignal
  /** Ends the service with an error. */
  readonly fail: (error: Error) => void
  /** Run last to first: requests in flight finish, then loops stop, then connections close, then PostgreSQL stops. */
  readonly stops: (() => Promise<unknown>)[]
}

/**
 * Runs the service until the signal aborts: config → database → providers → ctx → API and workers → stop. It can be
 * embedded: it installs no process-wide handlers and never exits the process. Its own code reads no environment
 * variables, but a library may: the AWS SDK takes its credentials from them. `onReady` is called once the service
 * accepts requests. The promise resolves when everything has stopped.
 */
export async function run(
  config: Config,
  signal: AbortSignal,
  onReady: (running: Running) => void = () => {},
): Promise<void> {
  const ending = new AbortController()
  const failures: Error[] = []
  const life: Life = {
    signal: AbortSignal.any([signal, ending.signal]),
    fail: (error) => {
      if (life.signal.aborted) return
      failures.push(error)
      ending.abort()
    },
    stops: [],
  }
  try {
    onReady(await start(config, life))
    if (!life.signal.aborted) await once(life.signal, 'abort')
  } catch (error) {
    // A stop during the start is not an error.
    if (!life.signal.aborted || error !== life.signal.reason) failures.push(asError(error))
  } finally {
    ending.abort()
    failures.push(...(await runStops(life.stops)))
  }
  const [failure] = failures
  if (failure) throw failure
}

/** Runs all stops, last to first, even if one fails. Returns the errors. */
export async function runStops(stops: Life['stops']): Promise<Error[]> {
  const failures: Error[] = []
  for (const stop of stops.toReversed()) await stop().catch((error: unknown) => failures.push(asError(error)))
  return failures
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

async function start(given: Config, life: Life): Promise<Running> {
  const { signal, stops } = life
  const traces = await openTraces(given, () => log)
  const log = createLog(given.logLevel, undefined, traces)
  if (traces) stops.push(() => traces.stop())
  for (const { variable, setting } of given.misspelled) {
    log.warn({ variable, setting }, 'unknown variable ignored: its name resembles a setting')
  }
  const connection = await openDatabase(given, life)
  signal.throwIfAborted()
  const [metrics, caches] = [createMetrics(given), createCaches()]
  await requireMode(connection, given, { log, metrics, caches })
  // Waits for both, even if the migration fails: by then, a started chain has registered its stop.
  const [config] = await waitForAll([startSandboxChain(given, log, life), migrate(connection)])
  signal.throwIfAborted()
  await requireDistribution(connection, config.databaseDistributed)
  await requireRoles(connection, config, usedRoles(config))
  const databases = openDatabases(
    connection,
    config,
    (error) => log.warn({ err: error }, 'idle database connection ended'),
    undefined,
    (reason) => raiseAlarm({ log, metrics }, { area: 'database', reason }, {}),
  )
  metrics.watchConnections(databases.connections)
  stops.push(() => databases.stop())
  const databaseAs = (role: DatabaseRole) => traces?.traceDb(databases.as(role)) ?? databases.as(role)
  const [mainRole = 'api'] = config.roles
  const db = databaseAs(mainRole)
  await joinProgramme({ config, db, log, metrics, caches }, async (tx) => {
    // In one transaction, because the MAC of the log's head depends on the secret.
    await useSecrets(tx, config.secrets, systemClock.now())
    await beginDecisionLog({ config }, tx)
  })
  await rejectMissingTokens({ config, db })
  await useSecrets(db, config.secrets, systemClock.now())

  const opened = await openProviders(config, databaseAs('sandbox'), log)
  const providers = traces ? tracePorts(traces, opened) : opened
  const ctx: Ctx = { config, processId: randomUUID(), db, log, metrics, caches, ...providers }
  // The loop of a worker reads the clock itself.
  if (ctx.sandbox && !config.roles.includes('worker')) stops.push(watchClock(ctx, ctx.sandbox.clock))
  const works = traces ? dueWorks.map(traces.traceWork) : dueWorks
  const jobs = createJobs({ ...ctx, db: databaseAs('worker') }, works, chores)
  if (config.roles.includes('worker')) {
    const loop = jobs.loop(signal)
    stops.push(() => loop)
  } else {
    void checkSigner(ctx)
  }
  if (config.roles.includes('watcher')) stops.push(startWatchers({ ...ctx, db: databaseAs('watcher') }))
  signal.throwIfAborted()
  const metricsUrl =
    config.metricsPort === null
      ? null
      : await listen(buildHealthApp(ctx), life, { ...config, port: config.metricsPort }, 'METRICS_PORT')
  const url = config.roles.includes('api')
    ? await serveApi({ ctx, jobs, operatorDb: databaseAs('operator'), traces }, life)
    : null
  const releasing = { ...ctx, db: databases.as(config.roles.includes('worker') ? 'worker' : mainRole) }
  await joinProcesses(releasing, life, metricsUrl ?? (config.sharesPort ? null : url))
  return ready({ config, url, metricsUrl })
}

/** Returns the database roles that this process connects with. */
function usedRoles({ roles, mode, operatorApi }: Config): readonly DatabaseRole[] {
  const isOperated = operatorApi && roles.includes('api')
  return [
    ...roles,
    ...(mode === 'sandbox' ? (['sandbox'] as const) : []),
    ...(isOperated ? (['operator'] as const) : []),
  ]
}

type Api = { readonly ctx: Ctx; readonly jobs: Jobs; readonly operatorDb: Db; readonly traces: Traces | null }

async function serveApi({ ctx, jobs, operatorDb, traces }: Api, life: Life): Promise<string> {
  await prepareKeys(ctx)
  life.stops.push(watchSwitches(ctx))
  return listen(await buildApp(ctx, jobs, operatorDb, traces), life, ctx.config, 'PORT')
}

const watchMilliseconds = 1_000

/** Reports changes of kill switches even if this process decides no authorization. Returns a function that stops it. */
function watchSwitches(ctx: Ctx): () => Promise<void> {
  const read = () =>
    readSwitches(ctx, ctx.db).catch((error: unknown) => ctx.log.warn({ err: error }, 'kill switches could not be read'))
  return repeat(read)
}

/** Follows the sandbox clock, which another process may advance. Returns the function that stops it. */
function watchClock({ log }: Ctx, clock: SandboxClock): () => Promise<void> {
  const read = () =>
    clock.refresh().catch((error: unknown) => log.warn({ err: error }, 'sandbox clock could not be read'))
  return repeat(read)
}

function repeat(read: () => Promise<unknown>): () => Promise<void> {
  const timer = setInterval(() => void read(), watchMilliseconds).unref()
  return async () => clearInterval(timer)
}

/**
 * Traces the calls of every port that can be outside this process. Lists every port, so that the compiler rejects a
 * missing one. Watchers and checks of the books read the chains of `custody`. Neither is part of a trace.
 */
function tracePorts({ tracePort }: Traces, ports: Providers): Providers {
  const { clock, custody, rates, sandbox } = ports
  return {
    clock,
    custody,
    rates,
    sandbox,
    issuer: tracePort('issuer', ports.issuer),
    cardDetails: tracePort('cardDetails', ports.cardDetails),
    chain: tracePort('chain', ports.chain),
    sweeper: tracePort('sweeper', ports.sweeper),
    screening: tracePort('screening', ports.screening),
    kyc: tracePort('kyc', ports.kyc),
    mail: tracePort('mail', ports.mail),
    domainProof: tracePort('domainProof', ports.domainProof),
    iban: tracePort('iban', ports.iban),
    signatures: tracePort('signatures', ports.signatures),
  }
}

/** Replaces a killed process that listened at the same URL. null: this process has no URL that is its own. */
async function joinProcesses(ctx: Ctx, { stops }: Life, url: string | null): Promise<void> {
  if (url === null) return
  const address = `${hostname()} ${url}`
  await replaceDeadProcess(ctx, address, leases)
  stops.push(() => leaveProcesses(ctx, address))
}

/**
 * Starts the watchers, and returns the function that stops them. They stop after the API, so they also read the effects
 * of its last requests.
 */
function startWatchers(ctx: Ctx): () => Promise<unknown> {
  const reading = new AbortController()
  const loops = ctx.custody.map((chain) => createWatcher(ctx, chain, chain.nodes, ctx.processId).loop(reading.signal))
  return () => {
    reading.abort()
    return Promise.all(loops)
  }
}

async function openDatabase(config: Config, { signal, stops, fail }: Life) {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl }
  const postgres = await startEmbeddedPostgres(config.dataDir, { signal })
  stops.push(() => postgres.stop())
  void postgres.ended.then(() => fail(endedByItself('PostgreSQL')))
  await createDatabase(postgres.connection)
  return postgres.connection
}

/**
 * Starts the sandbox's own chain, which joins the chains with configured nodes. Where it cannot run, deposits and
 * payouts are simulated.
 */
async function startSandboxChain(config: Config, log: Logger, { stops, fail }: Life): Promise<Config> {
  if (config.chain !== 'anvil') return config
  try {
    const chainId = config.tokens[0]?.chainId ?? 0
    const anvil = await startOwnChain(config.dataDir, chainId)
    stops.push(() => anvil.stop())
    void anvil.ended.then(() => fail(endedByItself("The sandbox's own chain")))
    return withChain(config, { chain: 'evm', chains: [...config.chains, ownChain(chainId, anvil.url)] })
  } catch (error) {
    if (!(error instanceof AnvilError)) throw error
    log.warn({ reason: error.message }, "the sandbox's own chain did not start; deposits and payouts are simulated")
    return withChain(config, { chain: 'simulated', chains: config.chains })
  }
}

function endedByItself(part: string): StartError {
  return new StartError(`${part} stopped unexpectedly. Purser needs it and has stopped. Start Purser again.`)
}

/** Listens, and returns the URL. */
async function listen(
  app: FastifyInstance,
  { stops }: Life,
  { host, port, sharesPort }: Pick<Config, 'host' | 'port' | 'sharesPort'>,
  setting: 'PORT' | 'METRICS_PORT',
): Promise<string> {
  stops.push(() => app.close())
  // Fastify passes unknown options to Node.js. Processes share PORT, but never METRICS_PORT.
  const options = { host, port, reusePort: setting === 'PORT' && sharesPort }
  await app.listen(options).catch((error: Error & { code?: string }) => {
    const reason = listenErrors[error.code ?? ''] ?? error.message
    throw new StartError(`Purser cannot listen on ${host}:${port}: ${reason}. Set another ${setting} or HOST.`)
  })
  const { port: actual } = app.server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
}

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port',
  EACCES: 'ports below 1024 need root',
  EADDRNOTAVAIL: 'this machine does not have this address',
  ENOTFOUND: 'this host name does not resolve',
}

const settledAfterMilliseconds = 1_000

/**
 * Schedules one garbage collection, which gives the memory used during the start back to the system. See bin/purser.
 */
function ready(running: Running): Running {
  const collect = () => globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' })
  setTimeout(collect, settledAfterMilliseconds).unref()
  return running
}
