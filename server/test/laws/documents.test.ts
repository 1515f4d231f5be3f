import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { alerts } from '../../../deploy/observability/alerts.ts'
import { dashboards } from '../../../deploy/observability/dashboards.ts'
import { readConfig } from '../../src/config/config.ts'
import { allSettings } from '../../src/config/document.ts'
import { eventTypes } from '../../src/events/rules.ts'
import { createMetrics } from '../../src/platform/observability/metrics.ts'
import { securityEvents } from '../../src/platform/observability/security-events.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const operations = read('docs/operations.md')

const names = new Set(allSettings.map(({ name }) => name))

test('no setting has a name that POSIX reserves for a login, a shell or a tool', () => {
  const reserved =
    'ARFLAGS CC CDPATH CFLAGS CHARSET COLUMNS DEAD EDITOR ENV EXINIT FC HISTFILE HISTORY HISTSIZE HOME IFS LANG LDFLAGS ' +
    'LEX LINES LISTER LOGNAME LPDEST MAIL MAILCHECK MAILER MAILPATH MAILRC MAKEFLAGS MANPATH MORE MSGVERB NLSPATH NPROC ' +
    'OLDPWD OPTARG OPTERR OPTIND PAGER PATH PPID PRINTER PROMPT PWD RANDOM SECONDS SHELL SHLVL TERM TERMCAP TMPDIR TZ VISUAL'
  expect(reserved.split(' ').filter((name) => names.has(name))).toEqual([])
})

test('every variable of the configuration is in docs/operations.md and in .env.example', () => {
  const example = read('.env.example')
  expect([...names].filter((name) => !operations.includes(`\`${name}\``))).toEqual([])
  expect([...names].filter((name) => !example.includes(`#${name}=`))).toEqual([])
})

test('each alert has one section in the runbooks', () => {
  const sections = [...read('docs/runbooks.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
  expect(sections.toSorted()).toEqual(alerts.map(({ name }) => name).toSorted())
})

test('every metric is on a dashboard', async () => {
  const shown = new Set(dashboards.flatMap(({ panels }) => panels.map(({ metric }) => metric)))
  const ours = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name)
  expect(ours.filter((name) => name.startsWith('purser_') && !shown.has(name))).toEqual([])
})

test('every metric of an alert is defined, with its labels', () => {
  const metrics = createMetrics()
  metrics.watchConnections(() => new Map())
  const labels = new Map(
    metrics.registry
      .getMetricsAsArray()
      .map((each) => [each.name, 'labelNames' in each ? [each.labelNames].flat() : []]),
  )
  for (const { name, expr } of alerts) {
    for (const [, metric = '', chosen = ''] of expr.matchAll(/\b(purser_\w+)(\{[^}]*\})?/g)) {
      const known = labels.get(metric) ?? labels.get(metric.replace(/_(bucket|count|sum)$/, ''))
      expect(known, `${name}: ${metric}`).toBeDefined()
      const used = [...chosen.matchAll(/(\w+)[=!]/g)].map(([, label]) => label)
      expect(
        used.filter((label) => !known?.includes(label as never)),
        `${name}: ${metric}`,
      ).toEqual([])
    }
  }
})

test('every counter whose first increment raises an alert begins at zero', async () => {
  // Prometheus sees no increase in a series that begins at one.
  const { tokens } = readConfig({})
  const text = await createMetrics({ roles: ['worker'], tokens }).registry.metrics()
  const [{ chainId } = { chainId: 0 }] = tokens
  const watched = alerts.filter(({ expr }) => /increase\(.*> 0/.test(expr))
  const series = watched.flatMap(({ test }) =>
    Object.keys(test.fires).map((name) => name.replace('"100"', `"${chainId}"`)),
  )
  expect(series).toContain('purser_payout_alarms_total{reason="nonce_gap"}')
  const sorted = (name: string) => name.replace(/\{(.*)\}/, (_all, list) => `{${list.split(',').sort()}}`)
  const shown = new Set(text.split('\n').map((line) => sorted(line.replace(/ 0$/, ''))))
  expect(series.filter((name) => name.includes('_total') && !shown.has(sorted(name)))).toEqual([])
})

test('a process whose webhook attempts all fail shows that it delivered none', async () => {
  const text = await createMetrics().registry.metrics()
  expect(text).toContain('purser_webhook_attempts_total{outcome="delivered"} 0\n')
})

test('a process that has not counted the break-glass decisions reports no number of them', async () => {
  const metrics = createMetrics()
  expect(await metrics.registry.metrics()).not.toMatch(/^purser_break_glass_decisions /m)
  metrics.breakGlassDecisions.set(0)
  expect(await metrics.registry.metrics()).toContain('purser_break_glass_decisions 0\n')
})

test('docs/operations.md describes every security event', () => {
  expect(securityEvents.filter((event) => !operations.includes(`| \`${event}\` |`))).toEqual([])
})

test('every security event has a test of its metric and its log line, and an alert unless it stops the process', () => {
  const text = read('server/test/flows/security-events.test.ts')
  expect(securityEvents.filter((event) => !text.includes(`expectEvent('${event}'`))).toEqual([])
  // The alert for kill switches uses their state, which tells more than the events.
  const watched = alerts.map(({ expr }) => expr.replaceAll('purser_kill_switch', 'kill_switch_changed')).join('\n')
  expect(securityEvents.filter((event) => !watched.includes(event))).toEqual(['programme_conflict'])
})

test('every folder of the source is in the tree of ARCHITECTURE.md', () => {
  const tree = read('ARCHITECTURE.md').split('```')[1] ?? ''
  const folders = readdirSync(join(root, 'server/src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).filter((name) => !tree.includes(` ${name}/`))).toEqual([])
})

test.each(['openapi.json', 'openapi.operator.json'])(
  '%s has at most 250 kB without white space, and 40 kB on the wire',
  (file) => {
    const document = JSON.stringify(JSON.parse(read(file)))
    expect(document.length).toBeLessThanOrEqual(250_000)
    expect(brotliCompressSync(document).length).toBeLessThanOrEqual(40_000)
  },
)

test('components that both OpenAPI documents have are the same in both', () => {
  const [users, operators] = ['openapi.json', 'openapi.operator.json'].map((file) => JSON.parse(read(file)).components)
  const namesOf = (kind: string) => Object.keys(users[kind]).filter((name) => name in operators[kind])
  const both = Object.keys(users).flatMap((kind) => namesOf(kind).map((name) => [kind, name] as const))
  expect(both.length).toBeGreaterThan(50)
  for (const [kind, name] of both) expect(operators[kind][name], name).toEqual(users[kind][name])
})

test('exactly one webhook of openapi.json describes each event type', () => {
  const { webhooks, components } = JSON.parse(read('openapi.json'))
  // The schema of a webhook has its name.
  const described = Object.keys(webhooks).flatMap((name) => components.schemas[name].properties.type.enum)
  expect(described.toSorted()).toEqual(eventTypes.toSorted())
})

test('the pages about security have every part that finders, operators and assessors need', () => {
  const parts: Readonly<Record<string, readonly string[]>> = {
    'SECURITY.md': ['## Report a vulnerability', '## Supported versions', '| Acknowledgment', '| Fix of a critical'],
    'docs/threat-model.md': [
      '](threat-model.svg)',
      '## Assets',
      '## Actors',
      '## Trust boundaries',
      '## Accepted risks',
    ],
    'docs/incidents.md': [
      'switch payouts off',
      'switch card-approvals off',
      '## A leaked SECRET',
      '## A leaked API key',
    ],
    'docs/pci-scope.md': ["## With Purser's frame"],
    'docs/secrets.md': ['## Inventory', '| Opens | Rotation | After a leak |'],
    'docs/webhooks.md': ['`standardwebhooks` takes the shared secret', 'takes no public keys'],
  }
  const missing = Object.entries(parts).flatMap(([file, words]) =>
    words.filter((word) => !read(file).includes(word)).map((word) => `${file}: ${word}`),
  )
  expect(missing).toEqual([])
})

test('the commands of README.md and docs/ need neither jq nor cast, which most machines lack', () => {
  const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
  const missing = ['README.md', ...documents].filter((file) => /\| *jq\b|^(cast|jq) /m.test(read(file)))
  expect(missing).toEqual([])
})

/** A proof is a file and its titles: `server/test/flows/x.test.ts`: one title; another title. */
function missingProofs(proof: string): string[] {
  const [, file = '', titles = ''] = /^`([^`]+)`: (.+)$/.exec(proof) ?? []
  if (!existsSync(join(root, file)) || titles === '') return [proof]
  const text = read(file).replace(/\(\s+/g, '(')
  const isTitle = (title: string) => ["'", '"', '`'].some((quote) => text.includes(`(${quote}${title}${quote}`))
  return titles.split('; ').filter((title) => !isTitle(title))
}

test('every proof in docs/security.md is the title of a test', () => {
  const rows = read('docs/security.md')
    .split('\n')
    .filter((line) => /^\| [A-Z]\d* \|/.test(line))
  expect(rows.length).toBeGreaterThan(40)
  const proofs = rows.map((row) => row.slice(2, -2).split(' | ')[3] ?? row)
  expect(proofs.flatMap(missingProofs)).toEqual([])
  expect(missingProofs('`docs/security.md`: no title')).toEqual(['no title'])
})
