import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { StartError } from '../../lib/errors.ts'
import type { Connection } from './roles.ts'

/** A database, as far as it decides whether its tables can be distributed. */
export type Cluster = {
  readonly isStandby: boolean
  readonly hasExtension: boolean
  readonly isCoordinator: boolean
  /** The tables of `distribute.sql` that the database has, and those of them that are distributed. */
  readonly existing: readonly string[]
  readonly distributed: readonly string[]
}

/** Returns why the tables cannot be distributed, in one sentence with the remedy; null: they can, or they are already. */
export function refusalOf(cluster: Cluster, placed: readonly string[]): string | null {
  const { isStandby, hasExtension, isCoordinator, existing, distributed } = cluster
  if (isStandby) return 'DATABASE_URL names a standby. Use the primary of the coordinator.'
  if (!hasExtension)
    return 'This PostgreSQL lacks the extension citus. Install it on all nodes and run "create extension citus".'
  if (!isCoordinator) return 'DATABASE_URL names a worker of the cluster. Use the coordinator.'
  const missing = placed.filter((table) => !existing.includes(table))
  if (missing.length > 0) return `The table ${missing[0]} is missing. Run npm run db:migrate first.`
  if (distributed.length > 0 && distributed.length < placed.length) {
    const [first] = placed.filter((table) => !distributed.includes(table))
    return `Only ${distributed.length} of ${placed.length} tables are distributed, and ${first} is not. Undistribute them, then run this command again.`
  }
  return null
}

/** Returns the distributed and replicated tables of `distribute.sql`. */
export function placedTables(sql: string): string[] {
  return [...sql.matchAll(/^select create_(?:distributed|reference)_table\('(\w+)'/gm)].map(([, table = '']) => table)
}

export const distributeSql = new URL('distribute.sql', import.meta.url)

/** Distributes all tables in one transaction. Returns false if they are distributed already. */
export async function distribute(connection: Connection): Promise<boolean> {
  const sql = await readFile(distributeSql, 'utf8')
  const placed = placedTables(sql)
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const cluster = await readCluster(client, placed)
    const refusal = refusalOf(cluster, placed)
    if (refusal !== null) throw new StartError(refusal)
    if (cluster.distributed.length > 0) return false
    await client.query('begin')
    await client.query(sql)
    await client.query('commit')
    return true
  } finally {
    // Ending the connection rolls back an open transaction.
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
  if (found.isStandby || !found.hasExtension) return { ...found, isCoordinator: false, distributed: [] }
  const nodes = await client.query<{ isCoordinator: boolean; distributed: string[] }>(
    `select citus_is_coordinator() as "isCoordinator",
       array(select logicalrelid::text from pg_dist_partition where logicalrelid::text = any($1)) as distributed`,
    [placed],
  )
  return { ...found, isCoordinator: false, distributed: [], ...nodes.rows[0] }
}
