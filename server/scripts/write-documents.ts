import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTypes, { astToString } from 'openapi-typescript'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config/config.ts'
import { refusals } from '../src/lib/errors.ts'
import { createCaches } from '../src/platform/cache/caches.ts'
import { openDb } from '../src/platform/db/db.ts'
import { createJobs } from '../src/platform/jobs/jobs.ts'
import { createLog } from '../src/platform/observability/log.ts'
import { createMetrics } from '../src/platform/observability/metrics.ts'
import { sandboxProviders } from '../src/providers/sandbox-providers.ts'

/**
 * Writes what is generated from the source: `openapi.json`, the client's types of it, and `docs/errors.md`.
 * With `--check` it writes nothing and fails when a committed file differs.
 */
const root = join(import.meta.dirname, '../..')

async function openApiDocument(): Promise<string> {
  const config = readConfig({ LOG_LEVEL: 'silent' })
  // Nothing is asked of the database: the document comes from the routes alone.
  const db = openDb({ host: '/nowhere', port: 5432, user: 'nobody', database: 'none' }, config, () => {})
  const log = createLog(config.logLevel)
  const providers = await sandboxProviders(config, { ...db, query: async () => [] })
  const ctx = { config, db, log, metrics: createMetrics(), caches: createCaches(), ...providers }
  const app = await buildApp(ctx, createJobs(ctx, [], []))
  await app.ready()
  const document = JSON.stringify(app.swagger(), null, 2)
  await app.close()
  return `${document}\n`
}

function errorsDocument(): string {
  const rows = Object.entries(refusals).map(([code, [status, message]]) => `| \`${code}\` | ${status} | ${message} |`)
  return `# Error codes

Generated from \`server/src/lib/errors.ts\` by \`npm run build\`; do not edit.

Which body carries a code stands in the section "Errors" of the API reference. Besides these, a request that does not fit
its schema is answered 400 with the validation body; \`UPSTREAM_FAILURE\` (502) means that a service behind this one failed
or did not answer, and the same request may be sent again; \`INTERNAL_ERROR\` (500) is our fault.

| Code | Status | Meaning |
|---|---|---|
${rows.join('\n')}
`
}

async function clientTypes(document: string): Promise<string> {
  const types = astToString(await openapiTypes(document))
  return `// Generated from openapi.json by \`npm run build\`; do not edit.\n\n${types}`
}

const openApi = await openApiDocument()
const documents = {
  'openapi.json': openApi,
  'client/src/api.ts': await clientTypes(openApi),
  'docs/errors.md': errorsDocument(),
}
for (const [name, wanted] of Object.entries(documents)) {
  const file = join(root, name)
  if (!process.argv.includes('--check')) {
    await writeFile(file, wanted)
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== wanted) {
    process.stderr.write(`${name} is not what the source says: run npm run build and commit it\n`)
    process.exitCode = 1
  }
}
