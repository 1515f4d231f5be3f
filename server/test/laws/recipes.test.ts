import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { eventTypes } from '../../src/events/rules.ts'
import * as movements from '../../src/ledger/movements.ts'
import { eventSchemas } from '../../src/webhooks/schemas.ts'

/**
 * Executes what CONTRIBUTING.md promises: each edit below is the first step of a recipe, and the compiler must then report
 * the files of the other steps. Nothing is written to disk.
 */
const server = join(import.meta.dirname, '../..')
const source = (file: string) => join(server, 'src', file)

const { options, fileNames } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(server, 'tsconfig.json'), ts.sys.readFile).config,
  { ...ts.sys, readDirectory: () => [source('app.ts'), source('main.ts')] },
  server,
)
const edits = new Map<string, string>()
let version = 0
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => fileNames,
  getScriptVersion: (file) => (edits.has(file) ? `edit ${version}` : 'disk'),
  getScriptSnapshot: (file) => {
    const text = edits.get(file) ?? ts.sys.readFile(file)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => server,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
})

/** Returns which of the files no longer compile after the edit. */
function broken(file: string, from: string, to: string, candidates: readonly string[]): string[] {
  const text = readFileSync(source(file), 'utf8')
  expect(text.split(from), `${file} contains ${from} once`).toHaveLength(2)
  version += 1
  edits.set(
    source(file),
    text.replace(from, () => to),
  )
  try {
    return candidates.filter((candidate) => service.getSemanticDiagnostics(source(candidate)).length > 0)
  } finally {
    version += 1
    edits.delete(source(file))
  }
}

type Recipe = { title: string; file: string; from: string; to: string; reported: string[] }

const recipes: Recipe[] = [
  {
    title: 'a new card state needs a row of transitions, a decline code and an event',
    file: 'cards/cards/rules.ts',
    from: "'expired'] as const",
    to: "'expired', 'suspended'] as const",
    reported: ['cards/cards/rules.ts', 'cards/transactions/rules.ts'],
  },
  {
    title: 'a new decline code needs a response code of the gateway',
    file: 'cards/transactions/rules.ts',
    from: 'export const declineMessages = {',
    to: "export const declineMessages = {\n  NEW: 'A new reason',",
    reported: ['cards/gateway/rules.ts'],
  },
  {
    title: 'a new statement filter needs a place in the cursor and in the request',
    file: 'money/statement/rules.ts',
    from: 'export type Filters = {',
    to: 'export type Filters = { readonly kind: string | null;',
    reported: ['money/statement/cursor.ts', 'money/statement/routes.ts'],
  },
  {
    title: 'a new claim of the access token must be read from the token',
    file: 'platform/http/access.ts',
    from: 'export type Caller = {',
    to: 'export type Caller = {\n  readonly plan: string',
    reported: ['identity/access-tokens/access-tokens.ts'],
  },
  {
    title: 'a new operation of the KYC port must be in every adapter',
    file: 'providers/kyc/kyc.ts',
    from: 'export type KycProvider = {',
    to: 'export type KycProvider = {\n  deleteApplicant(applicantId: string): Promise<void>',
    reported: ['providers/kyc/sumsub.ts', 'providers/kyc/sandbox.ts'],
  },
  {
    title: 'a new ledger account needs a value in an empty balance',
    file: 'ledger/rules.ts',
    from: 'export const ledgerAccounts = [',
    to: "export const ledgerAccounts = [\n  'reserved',",
    reported: ['ledger/rules.ts'],
  },
]

describe('the recipes of CONTRIBUTING.md', () => {
  const text = readFileSync(join(server, '../CONTRIBUTING.md'), 'utf8')

  test.each(recipes)('$title', { timeout: 120_000 }, ({ file, from, to, reported }) => {
    expect(text, 'CONTRIBUTING.md names the first file').toContain(`\`${file}\``)
    expect(broken(file, from, to, reported)).toEqual(reported)
  })

  test('the source compiles without an edit, so the edits alone cause the errors', () => {
    const files = [...new Set(recipes.flatMap(({ reported }) => reported))]
    expect(files.filter((file) => service.getSemanticDiagnostics(source(file)).length > 0)).toEqual([])
  })

  test('every event type has a schema in the catalogue of webhooks', () => {
    const documented = JSON.stringify(eventSchemas)
    expect(eventTypes.filter((type) => !documented.includes(`"${type}"`))).toEqual([])
  })

  test('every movement is in the table of the movement tests', () => {
    const tests = readFileSync(source('ledger/movements.test.ts'), 'utf8')
    const functions = Object.entries(movements).filter(([, value]) => typeof value === 'function')
    expect(functions.map(([name]) => name).filter((name) => !tests.includes(`movements.${name}(`))).toEqual([])
  })

  test('every adapter of a port with a contract test runs it', () => {
    const files = readdirSync(source('providers'), { recursive: true, encoding: 'utf8' })
    const contracts = files.filter((file) => file.endsWith('.contract.ts'))
    expect(contracts.length).toBeGreaterThan(3)
    const unused = contracts.filter((contract) => {
      const tests = files.filter((file) => dirname(file) === dirname(contract) && file.endsWith('.test.ts'))
      return !tests.some((file) => readFileSync(source(join('providers', file)), 'utf8').includes(basename(contract)))
    })
    expect(unused.map((file) => relative('.', file))).toEqual([])
  })

  test('every migration has the next number', () => {
    const names = readdirSync(source('platform/db/migrations'))
      .filter((name) => name.endsWith('.sql'))
      .sort()
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_name, index) => index + 1))
  })
})
