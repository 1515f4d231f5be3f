import { ConfigError, readConfig } from '../config/config.ts'
import { StartError } from '../lib/errors.ts'
import { renderGrants, renderRoles } from '../platform/db/grants.ts'
import { migrate } from '../platform/db/migrate.ts'

/** Prepares your own PostgreSQL: prints the SQL of the database roles, or runs the migrations as the owner of the tables. */
const usage = 'Usage: npm run db:roles, or npm run db:migrate\n'

async function prepare(command: string | undefined): Promise<void> {
  switch (command) {
    case 'roles':
      process.stdout.write(`${renderRoles('nologin')}\n${renderGrants()}\n`)
      return
    case 'migrate': {
      const { databaseUrl } = readConfig(process.env)
      if (databaseUrl === null)
        throw new StartError('DATABASE_URL must be set. The embedded PostgreSQL migrates itself.')
      await migrate({ connectionString: databaseUrl })
      process.stdout.write('All migrations are applied.\n')
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
