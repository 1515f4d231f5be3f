import type { HotReader, Queryable } from '../db.ts'
import { type NodeAddress, placementOfShard, readCatalog } from '../nodes.ts'
import { type Batch, type BatchRow, createBatch } from './batch.ts'
import type { Failover } from './failover.ts'
import type { NamedStatement, Pipeline, RowCheck } from './pipeline.ts'
import { hashOfUuid } from './uuid-hash.ts'

export type UserNodes = {
  readonly reader: HotReader
  /**
   * Returns the node that has the user's rows, or null if it is not known or not in use. The result may be some seconds
   * old.
   */
  nodeOf(userId: string): NodeAddress | null
  /** Sends everything to the coordinator for a while, after an error at a node. */
  pause(error: unknown): void
  end(): Promise<void>
}

type Settings = {
  readonly coordinator: Queryable
  /** Reads through the coordinator, which every read falls back to. */
  readonly whole: HotReader
  open(address: NodeAddress): Failover
  nameOf(text: string): string
  /** Returns the check of a statement's rows. `text` is the statement before its tables are replaced. */
  checkOf(text: string, values: readonly unknown[]): RowCheck | undefined
  onError(error: Error): void
}

/** One shard of each table that is split by user: the rows of all users whose hashes are in the range. */
type Shard = NodeAddress & {
  readonly min: number
  readonly max: number
  readonly shardId: string
  /** Maps the name of each distributed table to the name of its table in this shard. */
  readonly names: ReadonlyMap<string, string>
}
type Placed = Shard & { readonly reader: HotReader }

/** Shards move rarely, and each read detects that its shard has moved. */
const maxAgeMilliseconds = 10_000
/** After a failure, reads use the coordinator for this time. */
const pauseMilliseconds = 1000

/**
 * Reads the rows of a user at the node that has them, from the tables of the shard. Such a read is a plain statement of
 * one PostgreSQL. The coordinator would plan it again each time, which costs ten times as much as the read.
 *
 * A shard that has moved may still exist at its old node. So each read is sent together with a check that the node has
 * the shard, and its rows count only after that. Otherwise, and after a failure before the first row, the read is
 * repeated at the coordinator.
 */
export function openUserNodes(settings: Settings): UserNodes {
  const { coordinator, whole, open, onError } = settings
  const nodes = new Map<string, Failover>()
  let placed: readonly Placed[] = []
  let staleAt = 0
  let loading = false

  function nodeAt({ host, port }: NodeAddress): Failover {
    const key = `${host}:${port}`
    const node = nodes.get(key) ?? open({ host, port })
    nodes.set(key, node)
    return node
  }

  /** Loads the shards in the background. Until then, reads use those that are known. */
  async function load(): Promise<void> {
    loading = true
    try {
      const found = await findShards(coordinator)
      placed = found.map((shard) => ({ ...shard, reader: readerAt(settings, shard, nodeAt(shard), pause) }))
      staleAt = performance.now() + maxAgeMilliseconds
    } catch (error) {
      pause(error)
    } finally {
      loading = false
    }
  }

  /** Sends all reads to the coordinator for a while. `error` is null if a shard has moved. */
  function pause(error: unknown): void {
    placed = []
    staleAt = performance.now() + (error === null ? 0 : pauseMilliseconds)
    if (error instanceof Error) onError(error)
  }

  function shardOfUser(userId: unknown): Placed | null {
    if (!loading && performance.now() >= staleAt) void load()
    return shardOf(placed, hashOfUuid(String(userId)))
  }

  const readerOf = ([userId]: readonly unknown[]) => shardOfUser(userId)?.reader ?? whole

  return {
    reader: {
      batch: (text, values) => readerOf(values).batch(text, values),
      query: (text, values = []) => readerOf(values).query(text, values),
      eachRow: (text, values, sink) => readerOf(values).eachRow(text, values, sink),
    },
    nodeOf: shardOfUser,
    pause,
    async end() {
      await Promise.all([...nodes.values()].map((node) => node.end()))
    },
  }
}

const placementCheck = `select 1 from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
  where p.shardid = $1 and p.shardstate = 1`

/** Returns the reads of one shard at its node. */
function readerAt(
  { whole, nameOf, checkOf }: Settings,
  { shardId, names }: Shard,
  node: Failover,
  pause: (error: unknown) => void,
): HotReader {
  const texts = new Map<string, string>()
  const check = { name: nameOf(placementCheck), text: placementCheck, values: [shardId], checkRows: undefined }

  function statementOf(text: string, values: readonly unknown[]): NamedStatement {
    const ofShard = texts.get(text) ?? nameShard(text, names)
    texts.set(text, ofShard)
    const checkRows = checkOf(text, values)
    return {
      ...{ name: nameOf(ofShard), text: ofShard, values },
      // The ids of the shard's tables mean nothing at the coordinator.
      checkRows:
        checkRows &&
        ((rows, columns) =>
          checkRows(
            rows,
            columns.map((column) => ({ ...column, tableID: 0 })),
          )),
    }
  }

  /** Runs `read` behind the check. Returns null if the read must be repeated at the coordinator. */
  async function guarded<T>(
    read: (pipeline: Pipeline, isHere: () => boolean) => Promise<T>,
    mayRepeat: () => boolean = () => true,
  ): Promise<{ readonly result: T } | null> {
    let isHere = false
    try {
      const [, result] = await node.send((pipeline) => {
        const checked = pipeline.eachRow(check, () => {
          isHere = true
        })
        return Promise.all([checked, read(pipeline, () => isHere)])
      })
      if (isHere) return { result }
      pause(null)
    } catch (error) {
      pause(error)
      if (!mayRepeat()) throw error
    }
    return null
  }

  return {
    batch: createBatch(async (text, columns) => {
      const rows = await guarded((pipeline) => {
        const read = pipeline.rows<BatchRow>(statementOf(text, columns))
        // The batch was collected over a whole turn already.
        pipeline.flush()
        return read
      })
      return rows?.result ?? repeatEach(whole.batch, text, columns)
    }),
    async query<Row>(text: string, values: readonly unknown[] = []) {
      const rows = await guarded((pipeline) => pipeline.rows<Row>(statementOf(text, values)))
      return rows?.result ?? whole.query<Row>(text, values)
    },
    async eachRow(text, values, sink) {
      let hasRows = false
      const done = await guarded(
        (pipeline, isHere) =>
          pipeline.eachRow(statementOf(text, values), (bytes, start, end) => {
            if (!isHere()) return
            hasRows = true
            sink(bytes, start, end)
          }),
        () => !hasRows,
      )
      if (done === null) await whole.eachRow(text, values, sink)
    },
  }
}

/** Repeats each read of a batch. The new batch counts its callers again. */
async function repeatEach(batch: Batch, text: string, columns: readonly (readonly unknown[])[]): Promise<BatchRow[]> {
  const callers = columns[0]?.map((_, i) => columns.map((column) => column[i])) ?? []
  const rows = await Promise.all(callers.map((values) => batch<BatchRow>(text, values)))
  return rows.flatMap((own, i) => own.map((row) => ({ ...row, at: i + 1 })))
}

/** Replaces the tables of a statement by those of a shard, under the same names. */
export function nameShard(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(/\b(from|join)\s+(\w+)\b(?!\s*\()(?:\s+(?:as\s+)?(\w+))?/gi, (found, word, table, next) => {
    const name = names.get(table)
    if (name === undefined) return found
    const isAlias = next !== undefined && !afterTable.has(next.toLowerCase())
    const rest = found.slice(found.indexOf(table) + table.length)
    return isAlias ? `${word} ${name}${rest}` : `${word} ${name} as ${table}${rest}`
  })
}

/** The words that may follow a table without an alias. */
const afterTable: ReadonlySet<string> = new Set([
  ...['where', 'on', 'using', 'join', 'left', 'inner', 'cross', 'order', 'group', 'limit', 'union'],
])

/** Returns the shard whose range has the hash, or null. The shards are in the order of their ranges. */
function shardOf<S extends Shard>(shards: readonly S[], hash: number | null): S | null {
  if (hash === null) return null
  let [low, high] = [0, shards.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const shard = shards[middle]
    if (shard === undefined) return null
    if (hash < shard.min) high = middle - 1
    else if (hash > shard.max) low = middle + 1
    else return shard
  }
  return null
}

type ShardRow = NodeAddress & {
  readonly table: string
  readonly name: string
  readonly shardId: string
  readonly min: number
  readonly max: number
}

/** Returns the shards of the tables that are split by user, in the order of their ranges. A plain database has none. */
async function findShards(coordinator: Queryable): Promise<Shard[]> {
  const rows = await readCatalog<ShardRow>(
    coordinator,
    `select d.logicalrelid::text as table, shard_name(s.logicalrelid, s.shardid) as name, s.shardid::text as "shardId",
       s.shardminvalue::int as min, s.shardmaxvalue::int as max, n.nodename as host, n.nodeport as port
     from pg_dist_partition d join pg_dist_shard s on s.logicalrelid = d.logicalrelid ${placementOfShard}
     where d.colocationid = (select colocationid from pg_dist_partition where logicalrelid = 'app_user'::regclass)`,
  )
  return [...Map.groupBy(rows, ({ min }) => min).values()]
    .flatMap((ofRange) => {
      const [first] = ofRange
      return first === undefined ? [] : [{ ...first, names: new Map(ofRange.map(({ table, name }) => [table, name])) }]
    })
    .sort((one, other) => one.min - other.min)
}
