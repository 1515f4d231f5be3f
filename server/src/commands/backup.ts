import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { systemClock } from '../lib/clock.ts'
import { StartError } from '../lib/errors.ts'
import { checkAll } from '../money/reconcile/reconcile.ts'
import { renderReport } from '../money/reconcile/report.ts'
import { findNewestRecord } from '../money/reconcile/runs.ts'
import { type Db, isConnectionFailure } from '../platform/db/db.ts'
import { compareMigrations } from '../platform/db/migrate.ts'
import { besideService } from './beside.ts'
import { type Finding, isWrongOption, reportFindings, reportProblem } from './findings.ts'

/**
 * Judges a backup by a restored copy of it: the schema, the age, the seals and the books. Reads only. Run it from cron
 * with the environment of the service, and with DATABASE_URL of the copy. The exit code is 0 for a good backup, 1 for a
 * bad one, and 2 if it could not be judged. `purser backup check` exits with 1 instead of 2.
 */
const usage = 'Usage: purser backup check [--max-age <hours>] [--json]\n'
const defaultMaxHours = 26
const hourMilliseconds = 3_600_000
const concurrency = 4

async function judge(config: Config, db: Db, maxHours: number): Promise<Finding[]> {
  const { missing, unknown } = await compareMigrations(db)
  if (unknown.length > 0) {
    return [
      {
        check: 'schema',
        problems: [
          `The backup is from a newer version: it has the migration ${unknown[0]}. Check it with that version.`,
        ],
      },
    ]
  }
  if (missing.length > 0) {
    return [
      {
        check: 'schema',
        problems: [
          `Migrations that the backup lacks: ${missing.length}, beginning with ${missing[0]}. Run on the copy: purser migrate`,
        ],
      },
    ]
  }
  const newest = await findNewestRecord(db)
  const report = await checkAll({ config, db }, { concurrency })
  return [
    { check: 'schema', problems: [] },
    { check: 'age', problems: ageProblems(newest, maxHours) },
    {
      check: 'books',
      problems:
        report.badRows === 0
          ? []
          : [
              `Bad rows in the books: ${report.badRows}. Do not restore this backup. Check an older one.\n${renderReport(report, config.tokens)}`,
            ],
    },
  ]
}

function ageProblems(newest: Date | null, maxHours: number): string[] {
  if (newest === null) return ['The backup has no record of any work. Check that it is the database of the service.']
  const hours = (systemClock.now().getTime() - newest.getTime()) / hourMilliseconds
  if (hours <= maxHours) return []
  return [
    `The newest record is from ${newest.toISOString()}, ${Math.floor(hours)} hours ago. Check that backups are still made and that this is the newest one.`,
  ]
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      'max-age': { type: 'string', default: String(defaultMaxHours) },
    },
  })
  const maxHours = Number(values['max-age'])
  if (positionals.join() !== 'check' || !(maxHours > 0)) {
    process.stderr.write(usage)
    process.exitCode = 2
    return
  }
  const config = readConfig(process.env)
  if (config.databaseUrl === null) throw new StartError('DATABASE_URL must name the restored copy of the backup.')
  await besideService(config, 'reader', async ({ db }) =>
    reportFindings(await judge(config, db, maxHours), values.json),
  )
}

try {
  await main()
} catch (error) {
  process.exitCode = 2
  const hasJson = process.argv.includes('--json')
  if (isWrongOption(error)) process.stderr.write(usage)
  else if (error instanceof ConfigError || error instanceof StartError) reportProblem(error.message, hasJson)
  else if (isConnectionFailure(error))
    reportProblem('The restored database does not respond. Start it, or check DATABASE_URL.', hasJson)
  else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
}
