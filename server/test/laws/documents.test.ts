import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import { createMetrics } from '../../src/platform/observability/metrics.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const operations = read('docs/operations.md')

/** What the configuration asks the environment for, given that much of it. */
function asked(given: Record<string, string>): string[] {
  const names: string[] = []
  const env = new Proxy(given, {
    get(target, name) {
      names.push(String(name))
      return Reflect.get(target, name)
    },
  })
  try {
    readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
  }
  return names
}

const vendors = { SCREENING: 'chainalysis', MAIL_VIA: 'smtp', KYC: 'sumsub', IBAN: 'monerium', ISSUER: 'http' }
const names = new Set([...asked({}), ...asked({ ...vendors, SIGNER: 'aws-kms', RPC_URL_1: 'http://localhost' })])
// What npm and the shell set by themselves is no setting.
for (const name of ['INIT_CWD', 'SUDO_USER', 'USER']) names.delete(name)

test('no setting has a name that a login, a shell or a tool of POSIX gives another meaning', () => {
  const theirs =
    'ARFLAGS CC CDPATH CFLAGS CHARSET COLUMNS DEAD EDITOR ENV EXINIT FC HISTFILE HISTORY HISTSIZE HOME IFS LANG LDFLAGS ' +
    'LEX LINES LISTER LOGNAME LPDEST MAIL MAILCHECK MAILER MAILPATH MAILRC MAKEFLAGS MANPATH MORE MSGVERB NLSPATH NPROC ' +
    'OLDPWD OPTARG OPTERR OPTIND PAGER PATH PPID PRINTER PROMPT PWD RANDOM SECONDS SHELL SHLVL TERM TERMCAP TMPDIR TZ VISUAL'
  expect(theirs.split(' ').filter((name) => names.has(name))).toEqual([])
})

test('every variable of the configuration stands in docs/operations.md', () => {
  // Of a chain or a currency: RPC_URL_1 is told as RPC_URL_<chainId>.
  const stands = (name: string) =>
    new RegExp(`\`${name}[^A-Z_]`).test(operations) || operations.includes(`\`${name.replace(/[^_]+$/, '<')}`)
  expect([...names].filter((name) => !stands(name))).toEqual([])
})

test('every metric stands in docs/operations.md, and no other', async () => {
  const ours = (await createMetrics().registry.getMetricsAsJSON())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('purser_'))
  const told = [...operations.matchAll(/`(purser_[a-z_]+)/g)].map(([, name]) => name)
  expect([...new Set(told)].sort()).toEqual(ours.sort())
})

test('every folder stands in the tree of ARCHITECTURE.md', () => {
  const tree = read('ARCHITECTURE.md').split('```')[1] ?? ''
  const folders = readdirSync(join(root, 'server/src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).filter((name) => !tree.includes(` ${name}/`))).toEqual([])
})
