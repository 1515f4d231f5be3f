// Runs the flow tests against a Citus cluster.
// Run:  TEST_CLUSTER=postgres://<superuser>@<coordinator>:<port>/<database> npm run test:distributed [-- <file> …]
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'

/** Returns why the tests cannot run on the database that the URL names; null: they can. */
async function refusalOf(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    const { rows } = await client.query<{ superuser: boolean; workers: number }>(
      `select rolsuper as superuser, (select count(*)::int from citus_get_active_worker_nodes()) as workers
       from pg_roles where rolname = current_user`,
    )
    const [found] = rows
    if (!found?.superuser) return 'its user must be a superuser, who creates databases and the extension'
    return found.workers < 2 ? 'it must be the coordinator of at least two workers' : null
  } catch (error) {
    return error instanceof Error ? error.message || String(error) : String(error)
  } finally {
    await client.end()
  }
}

const url = process.env['TEST_CLUSTER'] ?? process.env['DATABASE_URL']
if (url === undefined) {
  process.stderr.write(
    'npm run test:distributed needs TEST_CLUSTER, the URL of a superuser on the coordinator of a Citus cluster that trusts its nodes.\n',
  )
  process.exit(1)
}
const refusal = await refusalOf(url)
if (refusal !== null) {
  process.stderr.write(`TEST_CLUSTER does not name a usable cluster: ${refusal}.\n`)
  process.exit(1)
}
const files = process.argv.slice(2)
/**
 * The first two run a PostgreSQL of their own. The third reads plans of statements, which a cluster makes on its nodes.
 */
const withoutCluster = ['embedded-postgres', 'chain/own-chain', 'operator-plans'].flatMap((name) => [
  '--exclude',
  `**/${name}.test.ts`,
])
const { status } = spawnSync(
  'vitest',
  ['run', '--root', 'server', '--maxWorkers=1', ...withoutCluster, ...(files.length > 0 ? files : ['test/flows'])],
  { cwd: join(import.meta.dirname, '../..'), env: { ...process.env, TEST_CLUSTER: url }, stdio: 'inherit' },
)
process.exit(status ?? 1)
