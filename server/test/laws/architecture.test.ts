import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../src')

/** The lowest layer is first. An area imports only from itself and from areas on earlier lines. */
const layers = [
  ['lib'],
  ['config'],
  ['platform', 'context'],
  ['providers'],
  ['events'],
  ['ledger', 'statement-items', 'switches'],
  ['partners'],
  ['identity'],
  ['cards'],
  ['money'],
  ['webhooks'],
  ['card-history', 'partner-users'],
  ['closing'],
  ['operators'],
  ['console'],
  ['sandbox'],
  ['routes', 'due-work', 'commands'],
  ['app'],
  ['run'],
  ['welcome'],
  ['main'],
]

/** Areas that hold several capabilities, each in a folder of its own. The folders of an area must not form a cycle. */
const areas = ['platform', 'providers', 'identity', 'cards', 'money']

/** `context.ts` names the types of everything that is passed along. Imports from it, and those in it, load no code. */
const isTypeImport = (statement: string) => /^(import|export) type\b/.test(statement)
const isTypeOnly = ({ statement }: Import) => isTypeImport(statement)

type Import = { from: string; to: string; statement: string }

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const isTest = (file: string) => /\.(test|contract)\.ts$/.test(file)
const code = files.filter((file) => !isTest(file))

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found = text.matchAll(/^(?:import|export)\b[^'"]*?from '(\.[^']+)'/gms)
  return [...found].map(([statement, path = '']) => ({
    from: file,
    to: relative(src, resolve(src, dirname(file), path)),
    statement,
  }))
}

const areaOf = (file: string) => file.split('/')[0]?.replace(/(\.test)?\.ts$/, '') ?? ''
const imports = code.flatMap(importsOf)
const layerOf = (file: string) => layers.findIndex((group) => group.includes(areaOf(file)))

/** `cards/pci` for a file in an area, `ledger` for one in a capability that is an area of its own. */
function capabilityOf(file: string): string {
  const [area = '', folder = '', ...rest] = file.split('/')
  return areas.includes(area) && rest.length > 0 ? `${area}/${folder}` : dirname(file)
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')

const shown = (found: readonly Import[]) => found.map(({ from, to }) => `${from} → ${to}`)

/** The calls that take the amount of an authorization from the gateway's route to the posting. */
const amountPath = [
  ['cards/gateway/routes.ts', 'cards/gateway/messages.ts'],
  ['cards/gateway/messages.ts', 'cards/transactions/receive.ts'],
  ['cards/transactions/receive.ts', 'cards/transactions/decide.ts'],
  ['cards/transactions/decide.ts', 'cards/transactions/fold.ts'],
  ['cards/transactions/receive.ts', 'cards/transactions/apply-payment.ts'],
  ['cards/transactions/apply-payment.ts', 'cards/transactions/postings.ts'],
  ['cards/transactions/postings.ts', 'ledger/movements.ts'],
]

test('the amount of an authorization passes through at most eight files on its way to the posting', () => {
  expect(new Set(amountPath.flat()).size).toBeLessThanOrEqual(8)
  const isCall = ([from, to]: readonly string[]) => imports.some((one) => one.from === from && one.to === to)
  expect(amountPath.filter((call) => !isCall(call))).toEqual([])
  const creators = imports.filter(({ from, to }) => to === 'ledger/movements.ts' && from.startsWith('cards/'))
  expect(new Set(creators.filter((one) => !isTypeOnly(one)).map(({ from }) => from))).toEqual(
    new Set(['cards/transactions/postings.ts']),
  )
})

/**
 * The only files of the domain code that may name the sandbox or the mode. The others read the values of
 * `config/mode-values.ts` instead.
 */
const namesTheSandbox = [
  ['console/evidence.ts', 'names the mode of the service in signed evidence'],
  ['identity/guard.ts', 'guards the routes of the simulator'],
  ['operators/operators.ts', 'records the sandbox as the one who added its test operator'],
  ['partners/rules.ts', 'lists the environments that partners declare for their domains'],
]

test('only four files of the domain code name the sandbox or the mode', () => {
  const isDomain = (file: string) => layerOf(file) >= layerOf('events') && layerOf(file) <= layerOf('console')
  // Descriptions are for readers of the API. `sandbox-DE` and the like are examples.
  const withoutTexts = (text: string) => withoutComments(text).replace(/\bdescription:\s*(["'`]).*?\1,?$/gms, '')
  const isNamed = (text: string) => /sandbox(?!-)|(?<!exclusive )\bmode\b/i.test(withoutTexts(text))
  const found = code.filter((file) => isDomain(file) && isNamed(textOf(file)))
  expect(found.toSorted()).toEqual(namesTheSandbox.map(([file]) => file))
  for (const branch of ["source === 'sandbox'", 'ctx.sandbox?.clock', 'config.mode', 'const { mode } = config']) {
    expect(isNamed(branch)).toBe(true)
  }
})

test('OpenTelemetry is loaded only where traces are on', () => {
  const loaders = code.filter((file) => readFileSync(join(src, file), 'utf8').includes("from '@opentelemetry/"))
  expect(loaders).toEqual(['platform/observability/open-telemetry.ts'])
  expect(imports.filter(({ to }) => loaders.includes(to))).toEqual([])
})

test('every area has a layer', () => {
  expect(files.filter((file) => layerOf(file) < 0)).toEqual([])
})

test('an area imports only from lower layers', () => {
  const upward = imports.filter(({ from, to, statement }) => {
    if (areaOf(from) === areaOf(to)) return false
    if (to === 'context.ts' || from === 'context.ts') return !isTypeOnly({ from, to, statement })
    return layerOf(to) >= layerOf(from)
  })
  expect(shown(upward)).toEqual([])
})

test('the capabilities of an area do not import each other in a cycle', () => {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [own, other] = [capabilityOf(from), capabilityOf(to)]
    if (own === other || own === '.' || other === '.') continue
    edges.set(own, (edges.get(own) ?? new Set()).add(other))
  }
  const circles: string[] = []
  const done = new Set<string>()
  function walk(capability: string, path: readonly string[]): void {
    const at = path.indexOf(capability)
    if (at >= 0) circles.push([...path.slice(at), capability].join(' → '))
    if (at >= 0 || done.has(capability)) return
    for (const next of edges.get(capability) ?? []) walk(next, [...path, capability])
    done.add(capability)
  }
  for (const capability of edges.keys()) walk(capability, [])
  expect(circles).toEqual([])
})

/** A pure file begins with this line. Every `rules.ts` is pure. Other files are pure if they begin with the marker. */
const pureMarker = '// pure\n'
const textOf = (file: string) => readFileSync(join(src, file), 'utf8')
const pureFiles = code.filter((file) => textOf(file).startsWith(pureMarker))

/** Packages that pure files may load: they compute and do nothing else. */
const purePackages = ['libphonenumber-js/max', 'node:crypto', 'node:net', 'viem/utils']

/** Clocks, randomness, the process, timers and the network. */
const impureCode =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bgetRandomValues\b|\bnewId\b|\bprocess\.|\bset(Timeout|Interval|Immediate)\b|\bfetch\(/

test('every rules.ts carries the marker of pure files', () => {
  expect(code.filter((file) => /(^|\/)rules\.ts$/.test(file) && !pureFiles.includes(file))).toEqual([])
})

test('pure files import only lib, other pure files, declarations of settings, and types of the ports', () => {
  const impure = imports.filter(({ from, to, statement }) => {
    if (!pureFiles.includes(from) || to.startsWith('lib/') || pureFiles.includes(to)) return false
    // Settings are declarations with pure helpers. config.ts, which reads them, is not.
    if (to.startsWith('config/') && to !== 'config/config.ts') return false
    return !(/^(config|providers)\//.test(to) && isTypeImport(statement))
  })
  expect(shown(impure)).toEqual([])
})

test('pure files load no package that can do I/O', () => {
  const loaded = pureFiles.flatMap((file) =>
    [...textOf(file).matchAll(/^(?:import|export)\b(?! type\b)[^'"]*?from '([^.'][^']*)'/gms)]
      .filter(([, name = '']) => !purePackages.includes(name))
      .map(([, name]) => `${file} → ${name}`),
  )
  expect(loaded).toEqual([])
})

test('pure files use no clock, randomness, timer or process', () => {
  expect(pureFiles.filter((file) => impureCode.test(withoutComments(textOf(file))))).toEqual([])
})

test('only the files of a capability import its SQL', () => {
  const leaks = imports.filter(
    ({ from, to }) => /(^|\/)([a-z]+-)*sql\.ts$/.test(to) && capabilityOf(from) !== capabilityOf(to),
  )
  expect(shown(leaks)).toEqual([])
})

test('only app.ts and routes.ts import routes', () => {
  const others = imports.filter(({ from, to }) => /routes\.ts$/.test(to) && !['app.ts', 'routes.ts'].includes(from))
  expect(shown(others)).toEqual([])
})

test('only entry points read the environment, only platform/db names a driver, and only open-providers.ts chooses the providers', () => {
  const texts = code.map((file) => [file, readFileSync(join(src, file), 'utf8')] as const)
  const naming = (pattern: RegExp) => texts.filter(([, text]) => pattern.test(text)).map(([file]) => file)
  const entryPoints = [
    'main.ts',
    'commands/backup.ts',
    'commands/database.ts',
    'commands/operator.ts',
    'commands/doctor.ts',
    'commands/reconcile.ts',
    'config/config.ts',
  ]
  expect(naming(/process\.env\b/).filter((file) => !entryPoints.includes(file))).toEqual([])
  expect(naming(/from 'pg'/).filter((file) => !file.startsWith('platform/db/'))).toEqual([])
  expect(naming(/import \{.*-providers\.ts'/)).toEqual(['run.ts', 'providers/open-providers.ts'])
})

test('no module loads the root of viem, which costs 10 MB in every process', () => {
  const loading = /^import (?!type )[^']*from 'viem'$/m
  expect(code.filter((file) => loading.test(readFileSync(join(src, file), 'utf8')))).toEqual([])
})

test('the pages import nothing of the service, and of the command line only the scenarios', () => {
  const web = join(src, '../../web/src')
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const outside = files.flatMap((file) =>
    [...readFileSync(join(web, file), 'utf8').matchAll(/(?:from|import|glob<[^>]*>)\s*\(?'(\.[^']*)'/g)]
      .map(([, path = '']) => relative(web, resolve(web, dirname(file), path)))
      .filter((path) => path.startsWith('..')),
  )
  expect(files.length).toBeGreaterThan(100)
  expect([...new Set(outside.map(dirname))].toSorted()).toEqual(['../../cli/scenarios', '../../cli/src/scenarios'])
})

test('the checks of the architecture detect violations', () => {
  expect(layerOf('lib/money.ts')).toBeLessThan(layerOf('ledger/ledger.ts'))
  expect(importsOf('app.ts').length).toBeGreaterThan(5)
  expect(capabilityOf('cards/pci/sql.ts')).toBe('cards/pci')
  expect(pureFiles.length).toBeGreaterThan(20)
  for (const breach of ['Date.now()', 'new Date()', 'Math.random()', 'newId(now)', 'process.env']) {
    expect(impureCode.test(breach)).toBe(true)
  }
  expect(impureCode.test('new Date(text)')).toBe(false)
})
