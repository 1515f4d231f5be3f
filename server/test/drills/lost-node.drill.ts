import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { distribute } from '../../src/platform/db/distribute.ts'
import type { Connection } from '../proof/processes.ts'
import { createJoinedDatabase, dropTestDatabases, openCluster, run } from '../support/run/cluster.ts'
import { checkBooks } from './books.ts'
import { killCluster, postgresShell, startCluster } from './cluster.ts'
import { startGround } from './ground.ts'
import { startLoad } from './load.ts'
import { drill, say } from './needs.ts'
import { report, seconds, untilDecision } from './report.ts'

/**
 * A node of a Citus cluster is killed under load, then the coordinator. Then shards move, and the cluster is
 * rebalanced.
 */
const database = 'drill_lost_node'
const downMilliseconds = 20_000
const userCount = 12

drill(
  'no acknowledged write is lost when a node of a cluster dies, and then its coordinator',
  { cluster: true },
  async () => {
    const nodes = await openCluster(process.env['TEST_CLUSTER'] ?? '')
    const ground = await startGround({ DATABASE_DISTRIBUTED: 'on' })
    try {
      const shell = await postgresShell(ground.folder)
      const connection = { ...nodes.coordinator, database }
      ground.onStop(() => dropTestDatabases(nodes, [database]))
      await dropTestDatabases(nodes, [database])
      await createJoinedDatabase(nodes, database)
      await distribute(connection)
      const apis = [await ground.start(connection, { ROLES: 'api' }), await ground.start(connection, { ROLES: 'api' })]
      await ground.start(connection, { ROLES: 'worker,watcher' })
      const targets = apis.map(({ url }) => ({ url }))
      const load = await startLoad(ground, targets[0]?.url ?? '', () => targets, { userCount })
      await load.more(100)

      const killed = await nodeWithSomeUsers()
      say('killing a node')
      const nodeKilledAt = performance.now()
      const node = await kill(killed.at)
      await load.more(50)
      await delay(Math.max(0, nodeKilledAt + downMilliseconds - performance.now()))
      const paidWhileDown = (await paidAmounts(killed.others)) - killed.paidBefore
      say('starting it again')
      await startCluster(shell, node)
      await load.more(100)

      say('killing the coordinator')
      const coordinator = await kill(nodes.coordinator)
      await delay(2000)
      say('starting it again')
      await startCluster(shell, coordinator)
      const coordinatorStartedAt = performance.now()
      await load.more(100)

      say('moving all shards of a node')
      const moved = await moveShards()
      say('rebalancing')
      await run(connection, `select citus_rebalance_start(shard_transfer_mode => 'force_logical')`)
      await run(connection, 'select citus_rebalance_wait()')
      await load.more(100)
      await load.stop()
      const books = await checkBooks(ground, load, { connection })
      await report('lost-node', {
        load,
        books,
        figures: {
          'From the kill of the node to the next card decision': seconds(untilDecision(load.seen, nodeKilledAt)),
          'Payouts to users of other nodes while the killed node was down': String(paidWhileDown),
          'From the start of the coordinator to the next card decision': seconds(
            untilDecision(load.seen, coordinatorStartedAt),
          ),
          'Groups of shards moved under load': String(moved),
        },
      })

      /** Kills all processes of a node, and returns its files. */
      async function kill(at: Omit<Connection, 'database'>) {
        const own = { ...at, database: 'postgres' }
        const [found] = await run<{ data: string; commit: string }>(
          own,
          `select current_setting('data_directory') as data, current_setting('synchronous_commit') as commit`,
        )
        if (found?.commit !== 'on') throw new Error('set synchronous_commit to on: a node without it loses writes')
        await killCluster(found.data)
        return { data: found.data, log: `${found.data}.log` }
      }

      /** Returns a node that has some users of the load, but not all, and the wallets of the users on other nodes. */
      async function nodeWithSomeUsers() {
        const placed = await run<{ userId: string; host: string; port: number }>(
          connection,
          `select u.id as "userId", n.nodename as host, n.nodeport as port from unnest($1::uuid[]) u (id)
         join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('app_user', u.id)
         join pg_dist_node n using (groupid)`,
          [load.people.map(({ userId }) => userId)],
        )
        for (const at of nodes.workers) {
          const elsewhere = placed.filter(({ host, port }) => host !== at.host || port !== at.port)
          if (elsewhere.length === 0 || elsewhere.length === userCount) continue
          const ids = new Set(elsewhere.map(({ userId }) => userId))
          const others = load.people.filter(({ userId }) => ids.has(userId)).map(({ wallet }) => String(wallet.address))
          return { at, others, paidBefore: await paidAmounts(others) }
        }
        throw new Error('one node has all users')
      }

      async function paidAmounts(wallets: readonly string[]): Promise<number> {
        return (await ground.chain.transfers()).filter(({ to }) => wallets.includes(to)).length
      }

      /**
       * Moves every shard of the first worker to the second one, and returns the number of groups that moved together.
       */
      async function moveShards(): Promise<number> {
        const [from, to] = nodes.workers
        const shards = await run<{ id: string }>(
          connection,
          `select s.shardid as id from pg_dist_shard s join pg_dist_placement using (shardid) join pg_dist_node n using (groupid)
         where s.logicalrelid = 'app_user'::regclass and n.nodeport = $1 and n.nodename = $2`,
          [from?.port, from?.host],
        )
        for (const { id } of shards)
          await run(connection, `select citus_move_shard_placement($1, $2, $3, $4, $5, 'force_logical')`, [
            id,
            from?.host,
            from?.port,
            to?.host,
            to?.port,
          ])
        expect(shards.length).toBeGreaterThan(0)
        return shards.length
      }
    } finally {
      await ground.stop()
    }
  },
)
