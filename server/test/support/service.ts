import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { decodeJwt } from 'jose'
import pg from 'pg'
import type { Logger } from 'pino'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, inject } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Ctx } from '../../src/context.ts'
import { chores, dueWorks } from '../../src/due-work.ts'
import { createCaches } from '../../src/platform/cache/caches.ts'
import { openDb } from '../../src/platform/db/db.ts'
import type { DatabaseRole } from '../../src/platform/db/privileges.ts'
import { openDatabases } from '../../src/platform/db/roles.ts'
import type { UserCaller } from '../../src/platform/http/access.ts'
import { createJobs, type Jobs } from '../../src/platform/jobs/jobs.ts'
import { raiseAlarm } from '../../src/platform/observability/alarms.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { createMetrics, type OwnMetrics } from '../../src/platform/observability/metrics.ts'
import type { SandboxControls } from '../../src/providers/sandbox-controls.ts'
import { sandboxProviders } from '../../src/providers/sandbox-providers.ts'
import { fewConnections, ofCluster } from './process-env.ts'
import { copyDatabase, dropTestDatabases, whileClosed } from './run/cluster.ts'
import { templateDatabase } from './run/postgres.ts'
import { observeDatabase } from './run/row-check.ts'

export type Reply = {
  status: number
  headers: Headers
  text: string
  /** The parsed body; undefined when it is not JSON. Loosely typed, because tests assert its whole shape. */
  body: any
}

/** The status and the body of a short error response. */
export const plainError = (status: number, error: string) => [status, { success: false, error }]

export type RequestOptions = {
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

export type Wallet = PrivateKeyAccount

export type TestUser = { userId: string; accountAddress: string; wallet: Wallet; token: string }

type UserOptions = {
  country?: string | undefined
  email?: string | undefined
  kyc?: string | undefined
  partnerId?: string | undefined
}

export type DepositOptions = { symbol?: string | undefined; result?: 'approved' | 'rejected' | 'pending' }

export type ServiceOptions = {
  env?: Record<string, string>
  /** The port, which the URLs of the settings may name; any free one unless given. */
  port?: number
  /** The database; a new one unless given. */
  connection?: TestService['connection']
  /** `false` leaves due work to the test, which calls `jobs.runDue()`. */
  worker?: boolean
  /** Replaces providers before the service starts. */
  alter?: (ctx: Ctx) => Ctx
}

export type TestService = {
  url: string
  /** The context of the test itself, whose connections may do anything. The service has only the roles' privileges. */
  ctx: Ctx
  /** Returns the context of one part of the service, or of a command beside it. */
  as(role: DatabaseRole): Ctx
  jobs: Jobs
  connection: { host: string; port: number; user: string; database: string }
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Sends a request to the simulator with its Basic credentials. */
  sandbox(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  /** Returns a new nonce for a signed message. */
  nonce(): Promise<string>
  /** Signs in and returns the access token. */
  signIn(wallet: Wallet, ttlInSeconds?: number): Promise<string>
  /** Creates an onboarded user with a new wallet and signs it in. */
  newUser(options?: UserOptions): Promise<TestUser>
  /** Advances the clock. The simulator then runs the work that became due. */
  advance(seconds: number): Promise<void>
  /** Returns the address of a configured token, by default the first one's. */
  tokenAddress(symbol?: string): string
  /** Deposits token units for a user, in the first token by default, and returns the deposit's id. */
  deposit(user: Pick<TestUser, 'userId'>, units: bigint, options?: DepositOptions): Promise<string>
  /** Returns the sum of a metric, by default over all labels; 0 if it was never set. */
  metric(name: keyof OwnMetrics, labels?: Record<string, string>): Promise<number>
  /** Returns the simulator's controls. */
  controls(): SandboxControls
  stop(): Promise<void>
}

/** Returns the caller that the service reads from the access token of a user, without a check of its expiry. */
export function callerOf(token: string): UserCaller {
  const { jti, userId, accessId, signerAddress, chainId, exp = 0 } = decodeJwt<Record<string, string>>(token)
  if (!jti || !userId || !accessId || !signerAddress || !chainId) throw new Error('the access token names no user')
  return { sessionId: jti, userId, accessId, signerAddress, chainId, signedBy: 'key', expiresAt: new Date(exp * 1000) }
}

export function newWallet(): Wallet {
  return privateKeyToAccount(generatePrivateKey())
}

/** The databases of this file on a cluster. Each costs three processes, so they are dropped after the file. */
const created: string[] = []

export async function dropCreatedDatabases(): Promise<void> {
  const cluster = { coordinator: inject('postgres'), workers: inject('workers') }
  await dropTestDatabases(cluster, created.splice(0))
}

/** Creates the databases of all files of this worker. A session costs as much as several requests. */
let creator: Promise<pg.Client> | null = null

async function connectTo(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  // PostgreSQL ends it after the run.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Creates a database by copying the migrated template, or another database that has no connections. */
export async function createTestDatabase(from = templateDatabase): Promise<TestService['connection']> {
  const server = inject('postgres')
  const workers = inject('workers')
  const database = `test_${randomUUID().replaceAll('-', '')}`
  if (workers.length > 0) {
    const cluster = { coordinator: server, workers }
    const copy = () => copyDatabase(cluster, from, database)
    await (from === templateDatabase ? copy() : whileClosed(cluster, from, copy))
    created.push(database)
    return { ...server, database }
  }
  creator ??= connectTo({ ...server, database: 'postgres' })
  await (await creator).query(`create database ${database} template ${from} strategy file_copy`)
  return { ...server, database }
}

/**
 * Starts a service before the tests of this file (or `describe`) and stops it after them. Options that depend on other
 * fixtures come from a function, which runs after their `beforeAll`.
 */
export function useService(
  options: ServiceOptions | (() => ServiceOptions | Promise<ServiceOptions>) = {},
): TestService {
  const service = {} as TestService
  beforeAll(async () => {
    Object.assign(service, await startService(typeof options === 'function' ? await options() : options))
  })
  afterAll(() => service.stop?.())
  return service
}

/** Shows missing privileges, which would otherwise only be a failed request or work that is retried. */
function showDenied(log: Logger): Logger {
  for (const level of ['error', 'warn'] as const) {
    const write = log[level].bind(log)
    log[level] = (fields: object, ...more: []) => {
      if ('err' in fields && fields.err instanceof pg.DatabaseError && fields.err.code === '42501') {
        process.stderr.write(`${fields.err.message}. See server/src/platform/db/privileges.ts.\n${fields.err.stack}\n`)
      }
      write(fields, ...more)
    }
  }
  return log
}

const defaults = {
  LOG_LEVEL: 'silent',
  CHAIN: 'simulated',
  ...ofCluster,
  ...fewConnections,
  // A busy machine must not turn purchases into declines. Tests of the deadlines set their own.
  ISSUER_DECISION_MILLISECONDS: '30000',
  ISSUER_ANSWER_MILLISECONDS: '30000',
}

/** Starts the whole service in this process, with real HTTP on a free port. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const connection = options.connection ?? (await createTestDatabase())
  const config = readConfig({ ...defaults, ...options.env })
  const log = showDenied(createLog(config.logLevel))
  const observe = await observeDatabase(connection, options.connection === undefined)
  const db = openDb(connection, config, () => {}, observe)
  const databases = openDatabases(
    connection,
    config,
    () => {},
    observe,
    (reason) => raiseAlarm(ctx, { area: 'database', reason }, {}),
  )
  const made: Ctx = {
    config,
    processId: randomUUID(),
    db,
    log,
    metrics: createMetrics(config),
    caches: createCaches(),
    ...(await sandboxProviders(config, databases.as('sandbox'))),
  }
  made.metrics.watchConnections(databases.connections)
  const ctx: Ctx = options.alter?.(made) ?? made
  const as = (role: DatabaseRole): Ctx => ({ ...ctx, db: databases.as(role) })
  const jobs = createJobs(as('worker'), dueWorks, chores)
  const life = new AbortController()
  const loop = options.worker === false ? Promise.resolve() : jobs.loop(life.signal)
  const app = await buildApp(as('api'), jobs, databases.as('operator'))
  const url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  const client = httpClient(url, config.sandboxPassword)
  function tokenAddress(symbol?: string): string {
    const token = config.tokens.find((token) => symbol === undefined || token.symbol === symbol)
    if (!token) throw new Error(`token ${symbol} is not configured`)
    return token.address
  }
  return {
    url,
    ctx,
    as,
    jobs,
    connection,
    ...client,
    tokenAddress,
    async deposit({ userId }, units, { symbol, result = 'approved' } = {}) {
      const body = { userId, token: tokenAddress(symbol), amount: String(units), result }
      const made = await client.sandbox('POST', '/deposits', body)
      if (made.status !== 201) throw new Error(`no deposit: ${made.status} ${made.text}`)
      return made.body.depositId
    },
    async metric(name, labels = {}) {
      const { values } = await ctx.metrics[name].get()
      const isWanted = ({ labels: found }: { labels: object }) =>
        isDeepStrictEqual({ ...found, ...labels }, { ...found })
      return values.filter(isWanted).reduce((sum, { value }) => sum + value, 0)
    },
    controls() {
      if (ctx.sandbox === null) throw new Error('the service has no simulator')
      return ctx.sandbox
    },
    async stop() {
      life.abort()
      await app.close()
      await loop
      await Promise.all([db.stop(), databases.stop()])
    },
  }
}

/** Returns the requests that tests send to a running service, in this process or another. */
export function httpClient(url: string, sandboxPassword = 'sandbox') {
  async function request(
    method: string,
    path: string,
    { token, body, headers = {} }: RequestOptions = {},
  ): Promise<Reply> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }

  const basic = `Basic ${Buffer.from(`simulator:${sandboxPassword}`).toString('base64')}`
  const sandbox = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(method, `/sandbox${path}`, {
      ...(body === undefined ? {} : { body }),
      headers: { authorization: basic, ...headers },
    })

  const nonce = async () => (await request('GET', '/api/v1/auth/nonce')).text

  async function signIn(wallet: Wallet, ttlInSeconds?: number): Promise<string> {
    const message = createSiweMessage({
      address: wallet.address,
      chainId: 1,
      domain: 'localhost',
      nonce: await nonce(),
      uri: 'http://localhost/',
      version: '1',
    })
    const signature = await wallet.signMessage({ message })
    const answer = await request('POST', '/api/v1/auth/challenge', {
      body: { message, signature, ...(ttlInSeconds === undefined ? {} : { ttlInSeconds }) },
    })
    if (answer.status !== 200) throw new Error(`sign-in failed: ${answer.status} ${answer.text}`)
    return answer.body.token
  }

  async function newUser(options: UserOptions = {}): Promise<TestUser> {
    const wallet = newWallet()
    const made = await sandbox('POST', '/users', { address: wallet.address, ...options })
    if (made.status !== 201) throw new Error(`no user: ${made.status} ${made.text}`)
    return { ...made.body, wallet, token: await signIn(wallet) }
  }

  async function advance(seconds: number): Promise<void> {
    const moved = await sandbox('POST', '/clock', { advanceSeconds: Math.ceil(seconds) })
    if (moved.status !== 200) throw new Error(`the clock does not move: ${moved.status} ${moved.text}`)
  }

  return { request, sandbox, nonce, signIn, newUser, advance }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
