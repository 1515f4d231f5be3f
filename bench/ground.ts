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
  /** length of one load, in seconds */
  readonly seconds: number
  readonly rounds: number
  readonly users: number
  /** movements of each user */
  readonly movements: number
  /** movements of the one user who has very many */
  readonly rows: number
  readonly signIns: number
  /** webhooks a second */
  readonly deliveries: number
  /** users with a card, and postings that they have behind them, for authorizations */
  readonly cardUsers: number
  readonly postings: number
  /** to our addresses; ten times as many others pass by */
  readonly transfers: number
  readonly profile: boolean
}

/** What measures stand on: one PostgreSQL, one service on it, and people with a statement. */
export type Ground = {
  readonly settings: Settings
  readonly config: Config
  readonly database: Database
  readonly db: Db
  readonly service: Server
  readonly people: readonly Person[]
  readonly tokens: readonly string[]
  /** The CPU clocks of a server that works on this database. */
  clocks(server: Server): { server: () => number; postgres: () => number }
  stop(): Promise<void>
}

/** The service as it runs in production, but for its log: the peers write no line a request either. */
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
    // Due work costs the same however many requests come: beside them it is another process's, as docs/operations.md has it.
    const service = await startService({ ...quiet, ROLES: 'api', DATABASE_URL: database.url }, options)
    stops.push(() => service.stop())

    // The service's own settings, so that tokens made here are as good as its own.
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
