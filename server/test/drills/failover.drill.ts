import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Connection } from '../proof/processes.ts'
import { freePort } from '../support/free-port.ts'
import { checkBooks } from './books.ts'
import { type Cluster, killCluster, newCluster, postgresShell, type Shell, stopCluster } from './cluster.ts'
import type { Ground } from './ground.ts'
import { drill, say } from './needs.ts'
import { withInstallation } from './proxy.ts'
import { report, seconds, untilDecision } from './report.ts'

/**
 * The primary of PostgreSQL is killed under load, and its synchronous standby is promoted. Two API processes behind
 * nginx and two workers use the database.
 */
const guide = 'docs/availability.md'
const maxUnavailableMilliseconds = 10_000

const programs = ['/usr/lib/postgresql/15/bin/pg_basebackup', '/usr/sbin/nginx', '/usr/bin/openssl'] as const
drill('no acknowledged write is lost when the primary dies and its standby is promoted', { programs }, async () => {
  let database: Database | undefined
  async function openDatabase(ground: Ground): Promise<Database> {
    const shell = await postgresShell(ground.folder)
    const primary = await newCluster(shell, join(ground.folder, 'primary'), '')
    ground.onStop(() => stopCluster(shell, primary))
    const address = await startAddress(primary.connection)
    ground.onStop(address.stop)
    database = { shell, primary, address, connection: address.connection }
    return database
  }
  await withInstallation(
    async ({ ground, load }) => {
      if (database === undefined) throw new Error('no database runs')
      const { shell, primary, address, connection } = database

      const stringOf = (port: number) => `host=127.0.0.1 port=${port} user=purser`
      /** Makes a standby of a primary, with the commands of the guide, and returns it once it is synchronous. */
      async function addStandby(PRIMARY: string, folder: string) {
        const [PGDATA, port] = [join(await shell.newFolder(folder), 'data'), await freePort()]
        const line =
          'pg_basebackup -d "$PRIMARY application_name=standby" -D "$PGDATA" -R -X stream -c fast -C -S standby'
        await shell.guided(guide, line, { PRIMARY, PGDATA })
        const own = `port = ${port}\nunix_socket_directories = '${folder}'\n`
        await shell.run(`printf "%s" "$OWN" >> "$PGDATA/postgresql.conf"`, { OWN: own, PGDATA })
        await shell.guided(guide, 'pg_ctl -D "$PGDATA" -l "$PGDATA/../log" -w -t 600 start', { PGDATA })
        ground.onStop(() => stopCluster(shell, { data: PGDATA }))
        await shell.guided(
          guide,
          `psql -d "$PRIMARY dbname=postgres" -c "alter system set synchronous_standby_names = 'standby'" -c 'select pg_reload_conf()'`,
          { PRIMARY },
        )
        const state = `psql -d "$PRIMARY dbname=postgres" -Atc 'select sync_state from pg_stat_replication'`
        await expect.poll(() => shell.guided(guide, state, { PRIMARY })).toBe('sync\n')
        return { PGDATA, connection: { ...connection, port } }
      }

      const standby = await addStandby(stringOf(primary.connection.port), join(ground.folder, 'standby'))
      await load.more(200)
      say('killing the primary')
      await killCluster(primary.data)
      // The time until an alert has reached a person.
      await new Promise((resolve) => setTimeout(resolve, 2000))
      say('promoting the standby')
      const promotedFrom = performance.now()
      await shell.guided(guide, 'pg_ctl -D "$PGDATA" -w -t 600 promote', { PGDATA: standby.PGDATA })
      await shell.guided(
        guide,
        `psql -d "$STANDBY dbname=postgres" -c 'alter system reset synchronous_standby_names' -c 'select pg_reload_conf()'`,
        { STANDBY: stringOf(standby.connection.port) },
      )
      address.move(standby.connection)
      const movedAt = performance.now()
      await load.more(100)
      const unavailable = untilDecision(load.seen, movedAt)
      expect(unavailable).toBeLessThanOrEqual(maxUnavailableMilliseconds)

      say('making the old primary the new standby')
      const old = join(ground.folder, 'primary')
      await rm(old, { recursive: true })
      await addStandby(stringOf(standby.connection.port), old)
      await load.more(100)

      say('losing the standby')
      await killCluster(join(old, 'data'))
      const continueAlone = `psql -d "$PRIMARY dbname=postgres" -c 'alter system reset synchronous_standby_names' -c 'select pg_reload_conf()'`
      await shell.guided(guide, continueAlone, { PRIMARY: stringOf(standby.connection.port) })
      await load.more(100)
      await load.stop()
      expect(shell.linesNotRun(guide)).toEqual([])
      const books = await checkBooks(ground, load, { connection })
      await report('failover', {
        load,
        books,
        figures: {
          'Duration of the promotion': seconds(movedAt - promotedFrom),
          'From the promotion to the next card decision': seconds(unavailable),
        },
      })
    },
    { workerCount: 2, openDatabase },
  )
})

type Database = {
  readonly shell: Shell
  readonly primary: Cluster
  /** The address that all processes connect to. */
  readonly address: Awaited<ReturnType<typeof startAddress>>
  readonly connection: Connection
}

/** Stands for the virtual address of the database: forwards connections to the current primary. */
async function startAddress(first: Connection) {
  let target = first
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = connect(target.port, target.host)
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy() && sockets.delete(from))
      from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    connection: { ...first, port },
    move(next: Connection) {
      target = next
      for (const socket of sockets) socket.destroy()
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
