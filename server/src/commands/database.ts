import { ConfigError, readConfig } from '../config/config.ts'
import { StartError } from '../lib/errors.ts'
import { distribute } from '../platform/db/distribute.ts'
import { renderGrants, renderRoles } from '../platform/db/grants.ts'
import { migrate } from '../platform/db/migrate.ts'
import { requireMode } from '../platform/programme/programme.ts'
import { reportProblem } from './findings.ts'

/**
 * Prepares your own PostgreSQL: prints the SQL of the database roles, runs the migrations as the owner of the tables,
 * or distributes the tables over a cluster.
 */
const usage = 'Usage: npm run db:roles, npm run db:migrate, or npm run distribute\n'

const isJson = process.argv.includes('--json')

/** Returns the database of a command. Throws if it is the database of another mode, as the service does. */
async function databaseOf(command: string): Promise<{ connectionString: string }> {
  const config = readConfig(process.env)
  if (config.databaseUrl === null)
    throw new StartError(`DATABASE_URL must be set for "${command}". The embedded PostgreSQL prepares itself.`)
  const connection = { connectionString: config.databaseUrl }
  await requireMode(connection, config)
  return connection
}

async function prepare(command: string | undefined): Promise<void> {
  switch (command) {
    case 'roles':
      process.stdout.write(`begin;\n${renderRoles('nologin')}\n${renderGrants()}\ncommit;\n`)
      return
    case 'migrate':
      await migrate(await databaseOf(command))
      process.stdout.write(isJson ? '{"isMigrated":true}\n' : 'All migrations are applied.\n')
      return
    case 'distribute': {
      const isNew = await distribute(await databaseOf(command))
      process.stdout.write(isNew ? 'All tables are distributed.\n' : 'All tables were already distributed.\n')
      return
    }
    default:
      process.stderr.write(usage)
      process.exitCode = 2
  }
}

await prepare(process.argv[2]).catch((error: unknown) => {
  if (!(error instanceof ConfigError) && !(error instanceof StartError)) throw error
  reportProblem(error.message, isJson)
  process.exitCode = 1
})
