import pg from 'pg'
import { distribute } from '../../../src/platform/db/distribute.ts'
import { createDatabase, migrate } from '../../../src/platform/db/migrate.ts'

type Node = { host: string; port: number; user: string }
/** A Citus cluster on which tests create databases. All nodes trust the user of its URL. */
export type Cluster = { readonly coordinator: Node; readonly workers: readonly Node[] }

/** The sessions of all nodes, and the id that ends one. */
export const activity = process.env['TEST_CLUSTER']
  ? { view: 'citus_stat_activity', id: 'global_pid' }
  : { view: 'pg_stat_activity', id: 'pid' }

/** Returns a row for each session of the database that waits for a lock. */
export const lockWaits = `select from ${activity.view} where datname = current_database() and wait_event_type = 'Lock'`

export async function run<Row extends object>(
  connection: pg.ClientConfig,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<Row>(text, [...values])).rows
  } finally {
    await client.end()
  }
}

/** Reads the nodes of the cluster whose coordinator the URL names. */
export async function openCluster(url: string): Promise<Cluster> {
  const { hostname: host, port, username: user } = new URL(url)
  const coordinator = { host, port: Number(port || 5432), user }
  const found = await run<Omit<Node, 'user'>>(
    { connectionString: url },
    'select node_name as host, node_port::int as port from citus_get_active_worker_nodes()',
  )
  const workers = found.filter((node) => node.port !== coordinator.port || node.host !== host)
  return { coordinator, workers: workers.map((node) => ({ ...node, user })) }
}

const serverOf = (node: Node) => ({ ...node, database: 'postgres' })
const nodesOf = ({ coordinator, workers }: Cluster): readonly Node[] => [coordinator, ...workers]

/** Creates a distributed database that is only there to be copied. */
export async function createClusterTemplate(cluster: Cluster, database: string): Promise<void> {
  await createJoinedDatabase(cluster, database)
  await distribute({ ...cluster.coordinator, database })
  await closeDatabase(cluster, database)
}

/** Creates a database on all nodes, joins them and migrates it on the coordinator. No table is distributed yet. */
export async function createJoinedDatabase(cluster: Cluster, database: string): Promise<void> {
  const { coordinator, workers } = cluster
  for (const node of nodesOf(cluster)) {
    await createDatabase({ ...node, database })
    await run({ ...node, database }, 'create extension citus')
  }
  const template = { ...coordinator, database }
  await run(template, 'select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port])
  for (const { host, port } of workers) await run(template, 'select citus_add_node($1, $2)', [host, port])
  await migrate(template)
}

/**
 * Copies a database on all nodes. The copies are one distributed database, because nodes know each other by address
 * only.
 */
export async function copyDatabase(cluster: Cluster, from: string, database: string): Promise<void> {
  for (const node of nodesOf(cluster)) await run(serverOf(node), `create database ${database} template ${from}`)
}

/** Runs `work` while nothing is connected to a database. A background process of Citus would prevent a copy. */
export async function whileClosed(cluster: Cluster, database: string, work: () => Promise<void>): Promise<void> {
  await closeDatabase(cluster, database)
  await work()
  for (const node of nodesOf(cluster))
    await run(serverOf(node), `alter database ${database} with allow_connections true`)
}

async function closeDatabase(cluster: Cluster, database: string): Promise<void> {
  for (const node of nodesOf(cluster)) {
    await run(serverOf(node), `alter database ${database} with allow_connections false`)
    await run(serverOf(node), 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [
      database,
    ])
  }
}

export async function dropTestDatabases(cluster: Cluster, databases: readonly string[]): Promise<void> {
  for (const node of nodesOf(cluster))
    for (const database of databases) await run(serverOf(node), `drop database if exists ${database} with (force)`)
}
