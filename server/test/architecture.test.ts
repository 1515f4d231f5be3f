import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../src')

/** Lowest first. A folder (or a file of src itself) imports only from groups before its own, and from itself. */
const layers = [
  ['lib'],
  ['provider-config', 'token-config'],
  ['config'],
  ['db'],
  ['providers'],
  ['context'],
  ['idempotency', 'http', 'jobs'],
  ['events', 'operators'],
  ['ledger', 'statement-items'],
  ['partners'],
  ['users'],
  ['tokens', 'kyc'],
  ['auth'],
  ['cards', 'ibans'],
  ['card-transactions', 'deposits'],
  ['withdrawals'],
  ['onboarding', 'pci', 'balances', 'statement', 'watcher', 'sweeps'],
  ['reconcile', 'health', 'closing', 'webhooks'],
  ['sandbox', 'issuer-gateway'],
  ['guard'],
  ['operator-money'],
  ['app', 'due-work', 'operator', 'reconcile-command'],
  ['main'],
]

/** Imports inside one group, and type imports upward, that are meant. */
const allowed = new Set([
  'idempotency → http',
  // a type only: the simulator's controls and the providers' list are part of the context
  'providers → context',
])

type Import = { from: string; to: string; statement: string }

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found = text.matchAll(/^(?:import|export)\b[^'"]*?from '(\.[^']+)'/gms)
  return [...found].map(([statement, path = '']) => ({
    from: file,
    to: relative(src, resolve(src, dirname(file), path)),
    statement,
  }))
}

const folderOf = (file: string) => file.split('/')[0]?.replace(/(\.test)?\.ts$/, '') ?? ''
const isTest = (file: string) => /\.(test|contract)\.ts$/.test(file)
const imports = files.filter((file) => !isTest(file)).flatMap(importsOf)
const layerOf = (file: string) => layers.findIndex((group) => group.includes(folderOf(file)))

test('every folder has a layer', () => {
  expect(files.filter((file) => layerOf(file) < 0)).toEqual([])
})

test('a folder imports only from lower layers', () => {
  const upward = imports.filter(({ from, to }) => {
    const [own, other] = [folderOf(from), folderOf(to)]
    return own !== other && layerOf(to) >= layerOf(from) && !allowed.has(`${own} → ${other}`)
  })
  expect(upward.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

test('rules are pure: they import lib and other rules only', () => {
  const impure = imports.filter(
    ({ from, to }) => from.endsWith('/rules.ts') && !/^lib\//.test(to) && !/(^|\/)rules\.ts$/.test(to),
  )
  expect(impure.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

test('the SQL of a folder is private to it', () => {
  const leaks = imports.filter(({ from, to }) => /(^|\/)([a-z]+-)?sql\.ts$/.test(to) && folderOf(from) !== folderOf(to))
  expect(leaks.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

test('only app.ts knows the routes', () => {
  const others = imports.filter(({ from, to }) => /routes\.ts$/.test(to) && from !== 'app.ts')
  expect(others.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

test('only config.ts reads the environment, only db/ names a driver, only main.ts chooses the providers', () => {
  const texts = files
    .filter((file) => !isTest(file))
    .map((file) => [file, readFileSync(join(src, file), 'utf8')] as const)
  const naming = (pattern: RegExp) => texts.filter(([, text]) => pattern.test(text)).map(([file]) => file)
  expect(
    naming(/process\.env\b/).filter(
      (file) => !['main.ts', 'operator.ts', 'reconcile-command.ts', 'config.ts'].includes(file),
    ),
  ).toEqual([])
  expect(naming(/from 'pg'/).filter((file) => !file.startsWith('db/'))).toEqual([])
  expect(naming(/import \{.*-providers\.ts'/)).toEqual(['main.ts'])
})

test('of viem only parts are loaded: its root is 10 MB more, in every process', () => {
  const loading = /^import (?!type )[^']*from 'viem'$/m
  const code = files.filter((file) => !isTest(file))
  expect(code.filter((file) => loading.test(readFileSync(join(src, file), 'utf8')))).toEqual([])
})

test('the laws catch a breach', () => {
  expect(layerOf('lib/money.ts')).toBeLessThan(layerOf('ledger/ledger.ts'))
  expect(importsOf('app.ts').length).toBeGreaterThan(5)
})
