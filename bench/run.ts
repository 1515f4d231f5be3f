import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Ground, prepareGround, type Settings } from './ground.ts'
import { MissingTools, requireTools } from './machine.ts'
import { measureAuthorization } from './measures/authorization.ts'
import { measureBalances } from './measures/balances.ts'
import { measureCli } from './measures/cli.ts'
import { measureDistributed } from './measures/distributed.ts'
import { measureEmbedded } from './measures/embedded.ts'
import { measureExport } from './measures/export.ts'
import { measureFlatness } from './measures/flatness.ts'
import { measureMixed } from './measures/mixed.ts'
import { measureOperator } from './measures/operator.ts'
import { measurePeers } from './measures/peers.ts'
import { measureSdk } from './measures/sdk.ts'
import { measureSignIn } from './measures/sign-in.ts'
import { measureSize } from './measures/size.ts'
import { measureStatement } from './measures/statement.ts'
import { measureTokenCheck } from './measures/token-check.ts'
import { measureTraces } from './measures/traces.ts'
import { measureWatcher } from './measures/watcher.ts'
import { measureWeb } from './measures/web.ts'
import { measureWebhooks } from './measures/webhooks.ts'
import { isReached, type Row, table, writeResult } from './report.ts'

/**
 * Runs `npm run bench [-- <measure> …] [flags]`. It reports ratios within one run. With `--gate`, a missed goal sets
 * the exit code to 1. Everything runs on this machine, with its own PostgreSQL and data. `export` and `flatness` run
 * last, since each inserts a million rows that evict all other data from memory.
 */
const measures: Readonly<Record<string, (ground: Ground) => Promise<Row[]>>> = {
  statement: measureStatement,
  peers: measurePeers,
  'token-check': measureTokenCheck,
  balances: measureBalances,
  traces: measureTraces,
  sdk: measureSdk,
  // A sign-in beyond the limit of sessions ends all earlier sessions of the wallet. So sign-ins follow the measures
  // that use these sessions.
  'sign-in': measureSignIn,
  webhooks: measureWebhooks,
  export: measureExport,
  flatness: measureFlatness,
}
const alone: Readonly<Record<string, (settings: Settings) => Promise<Row[]>>> = {
  cli: measureCli,
  embedded: measureEmbedded,
  authorization: measureAuthorization,
  operator: measureOperator,
  watcher: measureWatcher,
  web: measureWeb,
}
/** `distributed` needs a cluster, and the others take long, so they run only if they are named. */
const named: typeof alone = { distributed: measureDistributed, mixed: measureMixed, size: measureSize }
const names = [...Object.keys(measures), ...Object.keys(alone), ...Object.keys(named)]

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      users: { type: 'string', default: '200' },
      movements: { type: 'string', default: '300' },
      rows: { type: 'string', default: '1000000' },
      // With fewer, compilation would be a tenth of the cost.
      'sign-ins': { type: 'string', default: '3000' },
      deliveries: { type: 'string', default: '1000' },
      'card-users': { type: 'string', default: '10000' },
      postings: { type: 'string', default: '1000000' },
      transfers: { type: 'string', default: '10000' },
      // The goals are for 1,000,000 users and 10,000,000 postings.
      'operator-users': { type: 'string', default: '100000' },
      'operator-postings': { type: 'string', default: '1000000' },
      'statement-rows': { type: 'string', default: '10000' },
      'size-users': { type: 'string', default: '1000000' },
      'size-payments': { type: 'string', default: '1000000' },
      'size-folder': { type: 'string', default: '' },
      payers: { type: 'string', default: '500' },
      minutes: { type: 'string', default: '10' },
      profile: { type: 'boolean', default: false },
      gate: { type: 'boolean', default: false },
      // A checkout of https://github.com/pgr0ss/pgledger, for the measure `authorization`.
      pgledger: { type: 'string', default: '' },
    },
  })
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new MissingTools(`"${unknown}" is not a measure. Use one of ${names.join(', ')}.`)
  const { profile, pgledger, gate, 'size-folder': sizeFolder, ...texts } = values
  const camelCase = (name: string) => name.replace(/-(.)/g, (_hyphen, letter: string) => letter.toUpperCase())
  const sizes = Object.fromEntries(Object.entries(texts).map(([name, text]) => [camelCase(name), Number(text)]))
  const settings = { ...sizes, profile, pgledger, sizeFolder } as Settings
  requireTools()
  if (positionals.length === 0 || positionals.some((name) => !(name in named))) installPeers()

  const wanted = (name: string) => positionals.length === 0 || positionals.includes(name)
  const rows: Row[] = []
  /** Adds the rows of a measure. A measure that fails does not lose the rows of the others, but sets the exit code. */
  const add = async (name: string, measured: Promise<Row[]>) => {
    process.stdout.write(`${name} … `)
    const startedAt = Date.now()
    try {
      rows.push(...(await measured))
      process.stdout.write(`${Math.round((Date.now() - startedAt) / 1000)} s\n`)
    } catch (error) {
      process.stdout.write('failed\n')
      reportFailure(error)
    }
  }
  for (const [name, measure] of Object.entries(alone)) if (wanted(name)) await add(name, measure(settings))
  for (const [name, measure] of Object.entries(named))
    if (positionals.includes(name)) await add(name, measure(settings))
  if (Object.keys(measures).some(wanted)) {
    const ground = await prepareGround(settings)
    try {
      for (const [name, measure] of Object.entries(measures)) if (wanted(name)) await add(name, measure(ground))
    } finally {
      await ground.stop()
    }
  }
  process.stdout.write(`\n${table(rows)}\n\nWritten to ${await writeResult(rows, settings)}\n`)
  const missed = rows.filter((row) => isReached(row) === false)
  if (!gate || missed.length === 0) return
  for (const { measure, what, figure } of missed)
    process.stderr.write(`${measure}: ${what}: ${figure} misses the goal\n`)
  process.exitCode = 1
}

/**
 * Installs the peers, which have a separate lockfile so that they are not part of the service's installation. `npm ci`
 * would reject that lockfile, which may lack packages for other platforms.
 */
function installPeers(): void {
  const folder = fileURLToPath(new URL('peers', import.meta.url))
  const writtenAt = (file: string) => statSync(`${folder}/${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (writtenAt('node_modules/.package-lock.json') >= writtenAt('package-lock.json')) return
  process.stdout.write('installing the peers …\n')
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-progress'], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new MissingTools(`npm install failed in ${folder}. Run it there to see why.`)
}

function reportFailure(error: unknown): void {
  const text = error instanceof MissingTools ? error.message : error instanceof Error ? error.stack : error
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}

await main().catch(reportFailure)
