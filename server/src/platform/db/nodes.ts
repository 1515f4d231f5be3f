import type pg from 'pg'
import type { Queryable } from './db.ts'

/** A server that stores rows of users: the whole of a plain database, or one node of a cluster. */
export type DataNode = Queryable & {
  /** Identifies the node as long as its address stays the same. */
  readonly name: string
  /** Returns the tables that together hold this node's rows of a table. */
  tablesOf(table: string): readonly string[]
}

export type NodeAddress = { readonly host: string; readonly port: number }
type Placement = NodeAddress & { readonly isCoordinator: boolean; readonly table: string; readonly shard: string }

/**
 * Returns the nodes that have rows of the tables. A node that is down is one of them: only its own queries fail.
 *
 * A cluster runs a query that names no user as one task per shard, and rejects it while any node is down. Sent to a
 * node, a query over that node's own shards is one plain statement. Send only reads to a node, because a shard that has
 * moved may still be there. Do not trust the rows until a statement that names their user confirms them.
 */
export async function findNodes(
  coordinator: Queryable,
  queryAt: (address: NodeAddress) => Queryable['query'],
  tables: readonly string[],
): Promise<DataNode[]> {
  const placements = await findPlacements(coordinator, tables)
  const isPlaced = new Set(placements.map(({ table }) => table))
  const local = tables.filter((table) => !isPlaced.has(table))
  const ofNode = Map.groupBy(placements, ({ isCoordinator, host, port }) => (isCoordinator ? '' : `${host}:${port}`))
  if (local.length > 0 && !ofNode.has('')) ofNode.set('', [])
  return [...ofNode].map(([name, stored]) => {
    const [first] = stored
    const shards = Map.groupBy(stored, ({ table }) => table)
    return {
      name: name || wholeDatabase,
      query: name === '' || first === undefined ? coordinator.query : queryAt(first),
      tablesOf(table) {
        if (name === '' && local.includes(table)) return [table]
        return shards.get(table)?.map(({ shard }) => shard) ?? []
      },
    }
  })
}

const wholeDatabase = 'DATABASE_URL'

/** Returns a plain database as the only node. */
export function onlyNode({ query }: Queryable): DataNode {
  return { name: wholeDatabase, query, tablesOf: (table) => [table] }
}

async function findPlacements(coordinator: Queryable, tables: readonly string[]): Promise<Placement[]> {
  return readCatalog<Placement>(
    coordinator,
    `select n.groupid = 0 as "isCoordinator", n.nodename as host, n.nodeport as port, t.name as table,
       shard_name(s.logicalrelid, s.shardid) as shard
     from unnest($1::text[]) as t (name) join pg_dist_shard s on s.logicalrelid = t.name::regclass ${placementOfShard}
     order by t.name, s.shardid`,
    [tables],
  )
}

/** Joins each shard `s` with its placement `p` and the node `n` that has it. */
export const placementOfShard = `
  join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`

/** Reads the catalog of a cluster. Returns no rows on a plain database, which lacks it. */
export async function readCatalog<Row>(
  coordinator: Queryable,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  // The setting may precede the extension when a running service moves to a cluster.
  const [found] = await coordinator.query<{ isCluster: boolean }>(
    `select to_regclass('pg_dist_shard') is not null as "isCluster"`,
  )
  return found?.isCluster ? coordinator.query<Row>(text, values) : []
}

/**
 * Planning a query over many shards takes longer than running it. PostgreSQL does not account for that when the shards
 * are empty, so generic plans are forced.
 */
export const genericPlans = '-c plan_cache_mode=force_generic_plan'

/**
 * A node plans each statement of a distributed table for its shard. Citus 13.2 adds that plan to a generic plan on
 * every execution, so a connection would become slower and larger until it ends.
 */
export const customPlans = '-c plan_cache_mode=force_custom_plan'

/**
 * Returns the connection of the same user to the same database on another server, with these options of PostgreSQL too.
 */
export function connectionAt(
  connection: pg.ClientConfig,
  { host, port }: NodeAddress,
  options: string,
): pg.ClientConfig {
  const optionsOf = (own = '') => [own, options].filter(Boolean).join(' ')
  if (connection.connectionString === undefined)
    return { ...connection, host, port, options: optionsOf(connection.options) }
  const url = new URL(connection.connectionString)
  // These parameters take precedence over the host and port of the URL, and over the options beside it.
  url.searchParams.set('host', host)
  url.searchParams.set('port', String(port))
  url.searchParams.set('options', optionsOf(url.searchParams.get('options') ?? connection.options))
  return { ...connection, connectionString: url.href }
}
