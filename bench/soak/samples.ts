import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import { residentMegabytes } from '../machine.ts'
import type { SoakGround } from './ground.ts'

/** One reading of everything that must not grow. */
export type Sample = {
  readonly processes: Readonly<Record<string, ProcessSample>>
  /** The memory that the sessions of PostgreSQL do not share, and that of the chain, in MB. */
  readonly postgresMegabytes: number
  readonly chainMegabytes: number
  readonly connections: number
  readonly queues: Readonly<Record<string, number>>
  readonly webhookLagMilliseconds: number
  readonly tables: Readonly<Record<string, TableSample>>
}

type ProcessSample = {
  readonly megabytes: number
  readonly heapMegabytes: number
  readonly fileDescriptors: number
}
type TableSample = { readonly bytes: number; readonly live: number; readonly dead: number }

export async function takeSample({ database, processes, chain, receiver }: SoakGround): Promise<Sample> {
  const { client } = database
  const samples = Object.entries(processes).map(async ([role, { pid, url }]) => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    const [, heap] = /^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics) ?? []
    return [
      role,
      {
        megabytes: residentMegabytes(pid),
        heapMegabytes: Number(heap) / 2 ** 20,
        fileDescriptors: readdirSync(`/proc/${pid}/fd`).length,
      },
    ] as const
  })
  return {
    processes: Object.fromEntries(await Promise.all(samples)),
    postgresMegabytes: await postgresMegabytes(client),
    chainMegabytes: residentMegabytes(chain.pid),
    connections: await countConnections(client),
    queues: await readQueues(client),
    webhookLagMilliseconds: receiver.takeLag(),
    tables: await readTables(client),
  }
}

async function countConnections(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as connections from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  )
  return rows[0].connections
}

/** Sums the anonymous memory of the service's sessions. Shared buffers are not part of it. */
async function postgresMegabytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select pid from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  )
  let kilobytes = 0
  for (const { pid } of rows) {
    const status = readStatus(pid)
    kilobytes += Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
  }
  return kilobytes / 1024
}

/** Returns an empty text for a process that has ended. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** The tables whose due rows wait for work. Card transactions are not among them: they are due when their holds end. */
const queueTables = ['event', 'webhook_delivery', 'incoming_transfer', 'deposit', 'withdrawal'] as const

export async function readQueues(client: pg.Client): Promise<Record<string, number>> {
  const counts = queueTables.map((name) => `(select count(*)::int from ${name} where due_at is not null) as ${name}`)
  const { rows } = await client.query(`select ${counts.join(', ')}`)
  return rows[0]
}

async function readTables(client: pg.Client): Promise<Record<string, TableSample>> {
  const { rows } = await client.query(
    `select relname as name, pg_total_relation_size(relid)::float8 as bytes, n_live_tup::int as live, n_dead_tup::int as dead
     from pg_stat_user_tables where schemaname = 'public'`,
  )
  return Object.fromEntries(rows.map(({ name, ...sample }) => [name, sample]))
}
