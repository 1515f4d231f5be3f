import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { observabilityDocuments } from '../../deploy/observability/documents.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config/config.ts'
import { envExample, settingTables } from '../src/config/document.ts'
import { operatorCommands } from '../src/config/operators.ts'
import { refusals } from '../src/lib/errors.ts'
import { type OperatorRole, operatorPermissions, operatorRoles } from '../src/lib/operator-permission.ts'
import { commands } from '../src/operators/commands.ts'
import { decisionRouteTable } from '../src/operators/decision-route-table.ts'
import { createCaches } from '../src/platform/cache/caches.ts'
import { openDb } from '../src/platform/db/db.ts'
import { type Audience, documentFor } from '../src/platform/http/openapi.ts'
import { createJobs } from '../src/platform/jobs/jobs.ts'
import { createLog } from '../src/platform/observability/log.ts'
import { createMetrics } from '../src/platform/observability/metrics.ts'
import { sandboxProviders } from '../src/providers/sandbox-providers.ts'
import { cliSources, consoleSource } from './cli-source.ts'
import { clientSources } from './client-source.ts'

/**
 * Writes the generated files: the OpenAPI documents, the client's sources, the tables of the documents, alerts and
 * dashboards. With `--check` it writes nothing, and fails if a committed file differs.
 */
const root = join(import.meta.dirname, '../..')

const config = readConfig({ LOG_LEVEL: 'silent' })

/** Returns the document of the whole interface, of which each audience gets its part. */
async function openApiDocument(): Promise<string> {
  // The routes alone make the document, so this database is never queried.
  const db = openDb({ host: '/nowhere', port: 5432, user: 'nobody', database: 'none' }, config, () => {})
  const log = createLog(config.logLevel)
  const providers = await sandboxProviders(config, { ...db, query: async () => [] })
  const ctx = { config, processId: '', db, log, metrics: createMetrics(), caches: createCaches(), ...providers }
  const app = await buildApp(ctx, createJobs(ctx, [], []), db)
  await app.ready()
  const document = JSON.stringify(app.swagger())
  await app.close()
  return document
}

function openApiFor(audience: Audience, whole: string): string {
  return `${JSON.stringify(documentFor(audience, JSON.parse(whole), config), null, 2)}\n`
}

function errorsDocument(): string {
  const rows = Object.entries(refusals).map(([code, [status, message]]) => `| \`${code}\` | ${status} | ${message} |`)
  return `# Error codes

Generated from \`server/src/lib/errors.ts\` by \`npm run build\`; do not edit.

The section "Errors" of the API reference shows the bodies that carry these codes. Three more cases exist:

- A request that does not match its schema gets 400 with the validation body.
- \`UPSTREAM_FAILURE\` (502) means that an external service failed or timed out. The request can be repeated.
- \`INTERNAL_ERROR\` (500) is a bug in this service.

| Code | Status | Meaning |
|---|---|---|
${rows.join('\n')}
`
}

/** Replaces the part of a document between two markers. */
function replacePart(document: string, name: string, part: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [before, after] = [document.split(begin)[0], document.split(end)[1]]
  if (after === undefined) throw new Error(`a document lacks the markers of ${name}`)
  return `${before}${begin}\n\n${part}\n${end}${after}`
}

async function operationsGuide(): Promise<string> {
  return replacePart(await readFile(join(root, 'docs/operations.md'), 'utf8'), 'settings', settingTables())
}

/** Returns the permission matrix: one row per permission, one column per role. */
function permissionTable(): string {
  const rows = Object.entries<readonly OperatorRole[]>(operatorPermissions).map(
    ([permission, roles]) =>
      `| \`${permission}\` | ${operatorRoles.map((role) => (roles.includes(role) ? 'yes' : '')).join(' | ')} |`,
  )
  const head = `| Permission | ${operatorRoles.map((role) => `\`${role}\``).join(' | ')} |`
  return `${head}\n|---|${operatorRoles.map(() => '---|').join('')}\n${rows.join('\n')}\n`
}

/** Returns the commands of operators: their routes, permissions and policies. */
function commandTable(): string {
  const rows = decisionRouteTable.map(({ route, command }) => {
    const { permission, arguments: given } = commands[command]
    const shown = [command, ...Object.keys(given).map((name) => `<${name}>`)].join(' ')
    const path = route.replace(' /', ' /operator/').replaceAll(/:(\w+)/g, '{$1}')
    return `| \`${shown}\` | \`${path}\` | \`${permission}\` | ${operatorCommands[command].policy} |`
  })
  return `| Command | Route | Permission | People in production |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

async function cliGuide(): Promise<string> {
  // The commands come from sources that this script writes, so they are loaded after that.
  const { commandReference } = await import('../../cli/src/document.ts')
  return replacePart(await readFile(join(root, 'docs/cli.md'), 'utf8'), 'commands', commandReference())
}

async function operatorsGuide(): Promise<string> {
  const guide = await readFile(join(root, 'docs/operators.md'), 'utf8')
  return replacePart(replacePart(guide, 'permissions', permissionTable()), 'commands', commandTable())
}

async function put(documents: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, wanted] of Object.entries(documents)) {
    const file = join(root, name)
    if (!process.argv.includes('--check')) {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, wanted)
    } else if ((await readFile(file, 'utf8').catch(() => '')) !== wanted) {
      process.stderr.write(`${name} differs from the source. Run npm run build and commit the result.\n`)
      process.exitCode = 1
    }
  }
}

const openApi = await openApiDocument()
await put({
  'openapi.json': openApiFor('users', openApi),
  'openapi.operator.json': openApiFor('operators', openApi),
  ...(await clientSources(openApi)),
  ...cliSources(openApi),
  ...consoleSource(),
  'docs/errors.md': errorsDocument(),
  'docs/operations.md': await operationsGuide(),
  'docs/operators.md': await operatorsGuide(),
  '.env.example': envExample(),
  ...(await observabilityDocuments()),
})
await put({ 'docs/cli.md': await cliGuide() })
