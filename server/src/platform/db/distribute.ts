import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { StartError } from '../../lib/errors.ts'
import type { Connection } from './roles.ts'

/** The facts about a database that decide whether its tables can be distributed. */
export type Cluster = {
  readonly isStandby: boolean
  readonly hasExtension: boolean
  readonly isCoordinator: boolean
  /** The tables of `distribute.sql` that the database has, and those of them that are distributed. */
  readonly existing: readonly string[]
  readonly distributed: readonly string[]
}

/** Returns why the tables cannot be distributed, with the remedy; null: they can, or they are already. */
export function distributionProblem(cluster: Cluster, placed: readonly string[]): string | null {
  const { isStandby, hasExtension, isCoordinator, existing } = cluster
  if (isStandby) return 'DATABASE_URL names a standby. Use the primary of the coordinator.'
  if (!hasExtension)
    return 'This PostgreSQL lacks the extension citus. Install it on all nodes and run "create extension citus".'
  if (!isCoordinator) return 'DATABASE_URL names a worker of the cluster. Use the coordinator.'
  const missing = placed.filter((table) => !existing.includes(table))
  return missing.length > 0 ? `The table ${missing[0]} is missing. Run npm run db:migrate first.` : null
}

/** Returns why the service cannot run on the database, with the remedy; null: it can. */
export function mismatchOf(cluster: Cluster, placed: readonly string[], isExpected: boolean): string | null {
  const { isStandby, hasExtension, isCoordinator, distributed } = cluster
  if (isStandby) return 'DATABASE_URL names a standby, which rejects writes. Use the primary.'
  if (!isExpected) {
    return distributed.length > 0 ? 'The tables are distributed over a cluster. Set DATABASE_DISTRIBUTED=on.' : null
  }
  if (!hasExtension)
    return 'DATABASE_DISTRIBUTED is on, but this PostgreSQL lacks the extension citus. Set DATABASE_URL to the coordinator of a cluster.'
  if (!isCoordinator) return 'DATABASE_URL names a worker of the cluster. Use the coordinator.'
  // A service with the setting may run while its tables are being distributed.
  const missing = placed.filter((table) => !distributed.includes(table))
  if (missing.length === 0 || distributed.length === 0) return null
  return `Tables that are not distributed: ${missing.length} of ${placed.length}, such as ${missing[0]}. Run npm run distribute.`
}

const placement = /^select create_(?:distributed|reference)_table\('(\w+)'/

/** Returns the distributed and replicated tables of `distribute.sql`. */
export function placedTables(sql: string): string[] {
  return statementsOf(sql).flatMap((statement) => placement.exec(statement)?.[1] ?? [])
}

function statementsOf(sql: string): string[] {
  const statements = sql.replace(/^--.*$/gm, '').split(';')
  return statements.map((statement) => statement.trim()).filter(Boolean)
}

export const distributeSql = new URL('distribute.sql', import.meta.url)

/**
 * Distributes the tables and functions that are not distributed yet, in one transaction: after an upgrade, those of new
 * migrations. Returns whether there were any.
 */
export async function distribute(connection: Connection): Promise<boolean> {
  const sql = await readFile(distributeSql, 'utf8')
  const placed = placedTables(sql)
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const cluster = await readCluster(client, placed)
    const problem = distributionProblem(cluster, placed)
    if (problem !== null) throw new StartError(problem)
    await client.query('begin')
    // References between tables need this: each node gets one connection, which sees all that the transaction changed.
    await client.query("set local citus.multi_shard_modify_mode = 'sequential'")
    let changes = 0
    for (const statement of statementsOf(sql)) {
      const [, table] = placement.exec(statement) ?? []
      if (table === undefined || !cluster.distributed.includes(table))
        changes += (await client.query(statement)).rowCount ?? 0
    }
    await client.query('commit')
    return changes > 0
  } finally {
    // Ending the connection rolls back an open transaction.
    await client.end()
  }
}

/** Rejects a database whose tables are not where `DATABASE_DISTRIBUTED` expects them. */
export async function requireDistribution(connection: Connection, isExpected: boolean): Promise<void> {
  const placed = placedTables(await readFile(distributeSql, 'utf8'))
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const mismatch = mismatchOf(await readCluster(client, placed), placed, isExpected)
    if (mismatch !== null) throw new StartError(mismatch)
  } finally {
    await client.end()
  }
}

async function readCluster(client: pg.Client, placed: readonly string[]): Promise<Cluster> {
  const { rows } = await client.query<{ isStandby: boolean; hasExtension: boolean; existing: string[] }>(
    `select pg_is_in_recovery() as "isStandby", to_regproc('create_distributed_table') is not null as "hasExtension",
       array(select name from unnest($1::text[]) name where to_regclass(name) is not null) as existing`,
    [placed],
  )
  const [found] = rows
  if (!found) throw new Error('a query returned no row')
  if (!found.hasExtension) return { ...found, isCoordinator: false, distributed: [] }
  const nodes = await client.query<{ isCoordinator: boolean; distributed: string[] }>(
    `select citus_is_coordinator() as "isCoordinator",
       array(select logicalrelid::text from pg_dist_partition where logicalrelid::text = any($1)) as distributed`,
    [placed],
  )
  return { ...found, isCoordinator: false, distributed: [], ...nodes.rows[0] }
}
