import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { noCardLimits } from '../../src/config/card-programme.ts'
import { readConfig } from '../../src/config/config.ts'
import { allSettings } from '../../src/config/document.ts'
import { ibans } from '../../src/config/ibans.ts'
import { kyc } from '../../src/config/kyc.ts'
import { mail } from '../../src/config/mail.ts'
import { defaultRateLimits, limitedActions } from '../../src/config/rate-limits.ts'
import { screening } from '../../src/config/screening.ts'
import { eventTypes } from '../../src/events/rules.ts'
import { movementKinds } from '../../src/ledger/movements.ts'
import { ledgerAccounts } from '../../src/ledger/rules.ts'
import { refusals } from '../../src/lib/errors.ts'
import { balanceRows } from '../../src/money/balances/rules.ts'
import { alarmReasons } from '../../src/platform/observability/alarms.ts'

/** Executes the recipes of CONTRIBUTING.md. A row of its table without a check here fails. */

const root = join(import.meta.dirname, '../../..')
const src = join(root, 'server/src')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

type Edit = {
  /** The row of the table in CONTRIBUTING.md. */
  readonly row: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** Part of each compiler message that the edit causes. */
  readonly name: string
  /** The files that must not compile before the recipe is complete. */
  readonly asks: readonly string[]
}

/** The first step of a recipe. The compiler must then name the files of its other steps. */
const edits: readonly Edit[] = [
  {
    row: 'Card state',
    file: 'cards/cards/rules.ts',
    from: 'export const cardStatuses = [',
    to: "export const cardStatuses = ['suspended', ",
    name: 'suspended',
    asks: ['cards/cards/rules.ts', 'cards/cards/cards.ts', 'cards/transactions/rules.ts'],
  },
  {
    row: 'Card state',
    file: 'cards/gateway/rules.ts',
    from: 'export const cardEventTypes = [',
    to: "export const cardEventTypes = ['paused', ",
    name: 'paused',
    asks: ['cards/gateway/rules.ts'],
  },
  {
    row: 'Webhook event',
    file: 'events/rules.ts',
    from: 'export const eventTypes = [',
    to: "export const eventTypes = ['vault.opened', ",
    name: 'vault',
    asks: ['webhooks/event-examples.ts'],
  },
  {
    row: 'Decline code',
    file: 'cards/transactions/rules.ts',
    from: 'export const declineMessages = {',
    to: "export const declineMessages = { ZZZ: 'A new reason',",
    name: 'ZZZ',
    asks: ['cards/gateway/rules.ts'],
  },
  {
    row: 'Statement filter',
    file: 'money/statement/rules.ts',
    from: 'export type Filters = {',
    to: 'export type Filters = { readonly newFilter: string | null;',
    name: 'newFilter',
    asks: ['money/statement/query.ts'],
  },
  {
    row: 'Claim of the access token (JWT)',
    file: 'platform/http/access.ts',
    from: 'export type Caller = {',
    to: 'export type Caller = { readonly newClaim: string;',
    name: 'newClaim',
    asks: ['identity/access-tokens/access-tokens.ts'],
  },
  {
    row: 'KYC vendor, or any other provider',
    file: 'providers/kyc/kyc.ts',
    from: 'export type KycProvider = {',
    to: 'export type KycProvider = { newMethod(): void;',
    name: 'newMethod',
    asks: ['providers/kyc/sandbox.ts', 'providers/kyc/sumsub.ts'],
  },
  {
    row: 'Operator command',
    file: 'config/operators.ts',
    from: 'export const operatorCommands = {',
    to: "export const operatorCommands = { 'user newVerb': { policy: 'one', hasAmount: false },",
    name: 'user newVerb',
    asks: ['operators/commands-people.ts'],
  },
  {
    row: 'Limit on card payments',
    file: 'config/card-programme.ts',
    from: 'export type CardLimits = SpendingCaps & {',
    to: 'export type CardLimits = SpendingCaps & { readonly newLimit: bigint | null;',
    name: 'newLimit',
    asks: ['config/card-programme.ts'],
  },
  {
    row: 'Metric or alarm',
    file: 'platform/observability/metrics.ts',
    from: 'export type OwnMetrics = {',
    to: 'export type OwnMetrics = { readonly newMetric: Counter;',
    name: 'newMetric',
    asks: ['platform/observability/metrics.ts'],
  },
  {
    row: 'Metric or alarm',
    file: 'platform/observability/alarms.ts',
    from: 'type Alarm =',
    to: "type Alarm = | { readonly area: 'newArea'; readonly reason: string }",
    name: 'newArea',
    asks: ['platform/observability/alarms.ts'],
  },
  {
    row: 'Ledger account',
    file: 'ledger/rules.ts',
    from: 'export const ledgerAccounts = [',
    to: "export const ledgerAccounts = ['newAccount',",
    name: 'newAccount',
    asks: ['ledger/rules.ts', 'money/reconcile/invariants.ts'],
  },
]

/** Compiles the source once, with all edits applied in memory. */
function compileEdited(): { file: string; message: string }[] {
  const { config } = ts.readConfigFile(join(root, 'server/tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'server'))
  const host = ts.createCompilerHost(options)
  const readUnedited = host.readFile
  host.readFile = (path) => {
    let text = readUnedited(path)
    for (const { file, from, to } of edits) if (path === join(src, file)) text = text?.replace(from, to)
    return text
  }
  const program = ts.createProgram(
    files.map((file) => join(src, file)),
    options,
    host,
  )
  return program.getSemanticDiagnostics().map(({ file, messageText }) => ({
    file: relative(src, file?.fileName ?? ''),
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }))
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(file),
)
const source = (file: string) => read(`server/src/${file}`)
const missing = (names: readonly string[], text: string) => names.filter((name) => !text.includes(name))

/** The variants of settings such as `KYC=sumsub` that are real vendors. */
const vendors = [kyc.specs.kyc, screening.specs.screening, ibans.specs.iban, mail.specs.mail]
  .flatMap(({ variants }) => Object.keys(variants))
  .filter((variant) => variant !== 'sandbox' && variant !== 'none')

/** Returns the event types in the table of the guide: its rows are a subject and the events of that subject. */
const documentedEvents = () =>
  [...read('docs/webhooks.md').matchAll(/^\| `([a-z.]+)` \| ((?:`[a-z_.]+`[,;]? ?)+)\|$/gm)].flatMap(
    ([, subject, events = '']) => [...events.matchAll(/`([^`]+)`/g)].map(([, event]) => `${subject}.${event}`),
  )

/** Recipes whose other steps the compiler does not name. Each check returns the places that are missing. */
const checks: Readonly<Record<string, () => readonly string[]>> = {
  Endpoint: () =>
    missing(
      files
        .filter((file) => /(^|[/-])routes\.ts$/.test(file) && file.includes('/') && !file.startsWith('platform/'))
        .map((file) => `./${file}`),
      source('routes.ts'),
    ),
  'Statement filter': () =>
    // Another reader of items would ignore a new filter.
    files.filter(
      (file) => !/^money\/statement\/(sql|rules)\.ts$/.test(file) && /\b(selectionOf|pageRange)\b/.test(source(file)),
    ),
  'KYC vendor, or any other provider': () => {
    expect(vendors.length).toBeGreaterThan(3)
    const quoted = vendors.map((vendor) => `'${vendor}'`)
    return [...missing(quoted, source('config/mode.ts')), ...missing(quoted, source('commands/examine.ts'))]
  },
  'Dust rule, spendable amount': () => {
    const places = [
      'config/limits.ts',
      'config/config.ts',
      'config/checks.ts',
      'money/withdrawals/withdrawals.ts',
      'platform/programme/routes.ts',
    ]
    const users = files.filter((file) => /\bwithdrawalMinimums\b/.test(source(file)))
    return [...missing(users, places.join('\n')), ...missing(places, users.join('\n'))]
  },
  'Ledger account': () =>
    missing(
      ledgerAccounts.map((account) => `\`${account}\``),
      read('docs/concepts/ledger.md'),
    ),
  'Movement in the ledger': () => {
    const all = files.map(source).join('\n')
    return movementKinds.filter((kind) => all.split(`'${kind}'`).length <= 2)
  },
  'Webhook event': () => {
    // The table has a row for each subject. Reports the events that it lacks, and those that the service lacks.
    const documented = documentedEvents()
    return [
      ...missing(eventTypes, read('openapi.json')),
      ...eventTypes.filter((type) => !documented.includes(type)),
      ...documented.filter((event) => !eventTypes.some((type) => type === event)),
    ]
  },
  'Rate limit': () => {
    const used = files.flatMap((file) =>
      [...source(file).matchAll(/limited: ('[\w-]+')/g)].map(([, action = '']) => action),
    )
    expect(used.length).toBeGreaterThan(2)
    return [
      ...missing(used, source('config/rate-limits.ts')),
      ...missing(
        [defaultRateLimits.join(','), ...limitedActions.map((action) => `\`${action}\``)],
        read('docs/operations.md'),
      ),
    ]
  },
  Token: () => {
    const token = { address: `0x${'11'.repeat(20)}`, symbol: 'NEW', currency: 'EUR', decimals: 6, chainId: 100 }
    return missing(
      ['NEW'],
      readConfig({ TOKENS: JSON.stringify([token]) })
        .tokens.map(({ symbol }) => symbol)
        .join(),
    )
  },
  Setting: () => [
    ...missing(
      allSettings.map(({ name }) => `\`${name}\``),
      read('docs/operations.md'),
    ),
    ...missing(
      allSettings.map(({ name }) => `#${name}=`),
      read('.env.example'),
    ),
  ],
  Migration: () =>
    readdirSync(join(src, 'platform/db/migrations'))
      .sort()
      .filter((file, i) => !file.startsWith(`${String(i + 1).padStart(4, '0')}-`)),
  Chain: () => {
    const token = { address: `0x${'11'.repeat(20)}`, symbol: 'NEW', currency: 'EUR', decimals: 6, chainId: 8453 }
    const { chains } = readConfig({
      ...{ TOKENS: JSON.stringify([token]), CHAIN: 'evm', RPC_URL_8453: 'http://127.0.0.1:1' },
      ...{ TREASURY_8453: `0x${'22'.repeat(20)}`, START_BLOCK_8453: '7' },
    })
    return missing(['8453'], chains.map(({ chainId }) => chainId).join())
  },
  'Field of the balances': () => {
    const tokens = [{ address: '0x1', currency: 'EUR', decimals: 6 }]
    const [row] = balanceRows([{ currency: 'EUR', decimals: 6 }], tokens, new Map(), new Map())
    const fields = Object.keys(row ?? {})
    expect(fields.length).toBeGreaterThan(5)
    const ofTokens = Object.keys(row?.tokens[0] ?? {})
    const documented = [...fields, ...ofTokens].map((field) => `\n  ${field}:`)
    const inEvents = fields.filter((field) => field !== 'tokens').map((field) => `\n  ${field}:`)
    return [
      ...missing(documented, source('money/balances/routes.ts')),
      ...missing(inEvents, source('webhooks/schemas.ts')),
    ]
  },
  'Limit on card payments': () => {
    const names = Object.keys(noCardLimits)
    const used = `${source('cards/transactions/limits.ts')}\n${source('cards/transactions/load.ts')}`
    return [...missing(names, used), ...missing(names, read('docs/operations.md'))]
  },
  'Metric or alarm': () => {
    const reasons = Object.values(alarmReasons).flat()
    expect(reasons.length).toBeGreaterThan(15)
    return missing(reasons, read('docs/metrics.md'))
  },
  Screen: () => {
    const folder = 'web/src/console/operator'
    const folders = readdirSync(join(root, folder)).filter((name) => existsSync(join(root, folder, name, 'routes.ts')))
    expect(folders.length).toBeGreaterThan(10)
    const pages = readdirSync(join(root, 'web/src/app/pages')).map((file) => file.replace('.tsx', ''))
    const owners = `${read('web/src/app/main.tsx')}\n${pages.map((page) => read(`web/src/app/pages/${page}.tsx`)).join('\n')}`
    return [
      ...missing(
        folders.map((name) => `./${name}/routes.ts`),
        read(`${folder}/routes.ts`),
      ),
      ...missing(
        pages.map((page) => `/${page}.tsx'`),
        owners,
      ),
    ]
  },
  'Error code': () =>
    missing(
      Object.keys(refusals).map((code) => `| \`${code}\` |`),
      read('docs/errors.md'),
    ),
  'Follow-up work': () =>
    missing(
      files.filter((file) => file.endsWith('/jobs.ts') && file !== 'platform/jobs/jobs.ts').map((file) => `./${file}`),
      source('due-work.ts'),
    ),
  'Operator command': () => {
    const text = source('commands/operator.ts')
    const money = source('commands/operator-money.ts')
    const commands = [...`${text}\n${money}`.matchAll(/^ {2}(?:async )?'([a-z]+ [a-z]+)[^']*'[:(]/gm)].map(
      ([, command = '']) => command,
    )
    expect(commands.length).toBeGreaterThan(15)
    return missing(commands, source('commands/usage.ts'))
  },
}

const table = /## Where a new thing goes[\s\S]*?\n\n### /.exec(read('CONTRIBUTING.md'))?.[0] ?? ''
const rows = [...table.matchAll(/^\| (?!Change|-)([^|]+) \| ([^\n]+) \|$/gm)].map(([, row = '', start = '']) => ({
  row,
  start,
}))

test('every recipe of CONTRIBUTING.md has a check', () => {
  expect(rows.length).toBeGreaterThan(15)
  const checked = [...edits.map(({ row }) => row), ...Object.keys(checks)]
  expect(rows.map(({ row }) => row).sort()).toEqual([...new Set(checked)].sort())
})

test('every file at which a recipe starts exists', () => {
  const starts = rows.flatMap(({ start }) =>
    [...start.matchAll(/`([\w-]+(?:\/[\w.-]+)+\/?)`/g)].map(([, path = '']) => path),
  )
  expect(starts.length).toBeGreaterThan(10)
  expect(starts.filter((path) => !existsSync(join(src, path)))).toEqual([])
})

test.each(Object.entries(checks))('the recipe "%s" is complete for everything that exists', (_row, check) => {
  expect(check()).toEqual([])
})

// Compiling the whole service takes minutes on a busy machine.
test('the compiler names the other files of a recipe after its first step', { timeout: 900_000 }, () => {
  for (const { file, from } of edits) expect(source(file), file).toContain(from)
  const found = compileEdited()
  for (const { row, name, asks } of edits) {
    const named = found.filter(({ message }) => message.includes(name)).map(({ file }) => file)
    expect(named, row).toEqual(expect.arrayContaining([...asks]))
  }
})
