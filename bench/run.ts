import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Ground, prepareGround, type Settings } from './ground.ts'
import { MissingTools, requireTools } from './machine.ts'
import { measureAuthorization } from './measures/authorization.ts'
import { measureBalances } from './measures/balances.ts'
import { measureDrizzle } from './measures/drizzle.ts'
import { measureEmbedded } from './measures/embedded.ts'
import { measureFlatness } from './measures/flatness.ts'
import { measureSignIn } from './measures/sign-in.ts'
import { measureStatement } from './measures/statement.ts'
import { measureTokenCheck } from './measures/token-check.ts'
import { measureWatcher } from './measures/watcher.ts'
import { measureWebhooks } from './measures/webhooks.ts'
import { type Row, table, writeResult } from './report.ts'

/**
 * `npm run bench [-- <measure> …] [flags]`: ratios within one run, never asserted. Everything runs on this machine and
 * brings its own PostgreSQL and its own data. Flatness comes last, since its million rows push the others out of memory.
 */
const measures: Readonly<Record<string, (ground: Ground) => Promise<Row[]>>> = {
  statement: measureStatement,
  drizzle: measureDrizzle,
  'token-check': measureTokenCheck,
  balances: measureBalances,
  'sign-in': measureSignIn,
  webhooks: measureWebhooks,
  flatness: measureFlatness,
}
const alone: Readonly<Record<string, (settings: Settings) => Promise<Row[]>>> = {
  embedded: measureEmbedded,
  authorization: measureAuthorization,
  watcher: measureWatcher,
}
const names = [...Object.keys(measures), ...Object.keys(alone)]

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      users: { type: 'string', default: '200' },
      movements: { type: 'string', default: '300' },
      rows: { type: 'string', default: '1000000' },
      // With fewer, what the compilers take is a tenth of it.
      'sign-ins': { type: 'string', default: '3000' },
      deliveries: { type: 'string', default: '1000' },
      'card-users': { type: 'string', default: '10000' },
      postings: { type: 'string', default: '1000000' },
      transfers: { type: 'string', default: '10000' },
      profile: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new MissingTools(`There is no measure "${unknown}". There are: ${names.join(', ')}`)
  const { profile, 'sign-ins': signIns, 'card-users': cardUsers, ...rest } = values
  const sizes = Object.fromEntries(
    Object.entries({ ...rest, signIns, cardUsers }).map(([name, text]) => [name, Number(text)]),
  )
  const settings = { ...sizes, profile } as Settings
  requireTools()
  installPeers()

  const wanted = (name: string) => positionals.length === 0 || positionals.includes(name)
  const rows: Row[] = []
  const add = async (name: string, measured: Promise<Row[]>) => {
    process.stdout.write(`${name} … `)
    const startedAt = Date.now()
    rows.push(...(await measured))
    process.stdout.write(`${Math.round((Date.now() - startedAt) / 1000)} s\n`)
  }
  for (const [name, measure] of Object.entries(alone)) if (wanted(name)) await add(name, measure(settings))
  if (Object.keys(measures).some(wanted)) {
    const ground = await prepareGround(settings)
    try {
      for (const [name, measure] of Object.entries(measures)) if (wanted(name)) await add(name, measure(ground))
    } finally {
      await ground.stop()
    }
  }
  process.stdout.write(`\n${table(rows)}\n\nWritten to ${await writeResult(rows, settings)}\n`)
}

/**
 * The peers have a lockfile of their own, so that the service's installation does not pay for them. It may lack packages
 * for other platforms, where the registry that it was made with has none: `npm ci` would refuse that.
 */
function installPeers(): void {
  const folder = fileURLToPath(new URL('peers', import.meta.url))
  const writtenAt = (file: string) => statSync(`${folder}/${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (writtenAt('node_modules/.package-lock.json') >= writtenAt('package-lock.json')) return
  process.stdout.write('installing the peers …\n')
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-progress'], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new MissingTools(`The peers could not be installed: npm install in ${folder}`)
}

await main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof MissingTools ? error.message : error instanceof Error ? error.stack : error}\n`,
  )
  process.exitCode = 1
})
