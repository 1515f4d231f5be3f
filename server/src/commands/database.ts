import { ConfigError, readConfig } from '../config/config.ts'
import { StartError } from '../lib/errors.ts'
import { distribute } from '../platform/db/distribute.ts'
import { renderGrants, renderRoles } from '../platform/db/grants.ts'
import { migrate } from '../platform/db/migrate.ts'

/**
 * Prepares your own PostgreSQL: prints the SQL of the database roles, runs the migrations as the owner of the tables, or
 * distributes the tables over a cluster.
 */
const usage = 'Usage: npm run db:roles, npm run db:migrate, or npm run distribute\n'

function databaseUrlOf(command: string): string {
  const { databaseUrl } = readConfig(process.env)
  if (databaseUrl !== null) return databaseUrl
  throw new StartError(`DATABASE_URL must be set for "${command}". The embedded PostgreSQL prepares itself.`)
}

async function prepare(command: string | undefined): Promise<void> {
  switch (command) {
    case 'roles':
      process.stdout.write(`${renderRoles('nologin')}\n${renderGrants()}\n`)
      return
    case 'migrate':
      await migrate({ connectionString: databaseUrlOf(command) })
      process.stdout.write('All migrations are applied.\n')
      return
    case 'distribute': {
      const isNew = await distribute({ connectionString: databaseUrlOf(command) })
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
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
