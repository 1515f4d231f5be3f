import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../server/src/config/config.ts'
import { type Db, openDb } from '../server/src/platform/db/db.ts'
import { type Database, startDatabase } from './database.ts'
import { cpuSeconds } from './machine.ts'
import { insertMovements } from './movements.ts'
import { insertPeople, issueTokens, makePeople, type Person } from './people.ts'
import { type Server, startService } from './processes.ts'

export type Settings = {
  /** The length of one load. */
  readonly seconds: number
  readonly rounds: number
  readonly users: number
  /** The movements of each user. */
  readonly movements: number
  /** The movements of the one user with a very long statement. */
  readonly rows: number
  readonly signIns: number
  /** Webhook deliveries per second. */
  readonly deliveries: number
  /** Users with a card, and the postings of their history, for authorizations. */
  readonly cardUsers: number
  readonly postings: number
  /** Transfers to our addresses. The chain has ten times as many others. */
  readonly transfers: number
  /** Users with a card, and the postings of their history, for the reads of operators. */
  readonly operatorUsers: number
  readonly operatorPostings: number
  /** The rows of the statement that a browser loads. */
  readonly statementRows: number
  /** Users with a card, and those of them with a payment, for the comparison with a small database. */
  readonly sizeUsers: number
  readonly sizePayments: number
  /** Keeps the database of many users for the next run, which then does not fill it again; empty: it is deleted. */
  readonly sizeFolder: string
  /** The users whose authorizations `mixed` measures. */
  readonly payers: number
  /** The minutes for which `mixed` and `size` measure authorizations. */
  readonly minutes: number
  readonly profile: boolean
  /** The folder of a checkout of pgledger, which is not part of this repository; empty: it is not measured. */
  readonly pgledger: string
}

/** The base of most measures: one PostgreSQL, one service, and users with a statement. */
export type Ground = {
  readonly settings: Settings
  readonly config: Config
  readonly database: Database
  readonly db: Db
  readonly service: Server
  readonly people: readonly Person[]
  readonly tokens: readonly string[]
  /** Returns the CPU clocks of a server that uses this database. */
  clocks(server: Server): { server: () => number; postgres: () => number }
  stop(): Promise<void>
}

/** The service runs as in production but without request logs, since the peers write none. */
export const quiet = { LOG_LEVEL: 'warn' }

export async function prepareGround(settings: Settings): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-bench-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const stop = async () => {
    for (const each of stops.reverse()) await each()
  }
  try {
    const database = await startDatabase(folder)
    stops.push(() => database.stop())
    const options = settings.profile ? `--cpu-prof --cpu-prof-dir=${process.cwd()}` : ''
    // The cost of due work does not depend on the requests. In production another process does it: see
    // docs/operations.md.
    const service = await startService({ ...quiet, ROLES: 'api', DATABASE_URL: database.url }, options)
    stops.push(() => service.stop())

    // The settings of the service, so that it accepts the tokens made here.
    const config = readConfig({ PORT: new URL(service.url).port })
    const db = openDb(database.connection, config, () => {})
    stops.push(() => db.stop())
    const people = makePeople(settings.users)
    await insertPeople(database.client, people, config)
    await insertMovements(
      database.client,
      people.map(({ userId }) => userId),
      settings.movements,
    )
    return {
      settings,
      config,
      database,
      db,
      service,
      people,
      tokens: await issueTokens(db, config, people),
      clocks: (server) => ({ server: () => cpuSeconds(server.pid), postgres: database.cpuSeconds }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
