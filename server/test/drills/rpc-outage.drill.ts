import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../support/chain/rpc-proxy.ts'
import { httpClient } from '../support/service.ts'
import { checkBooks } from './books.ts'
import type { Load } from './load.ts'
import { drill, say } from './needs.ts'
import { withInstallation } from './proxy.ts'
import { failedAttempts, report, seconds } from './report.ts'

/** The provider of a chain's nodes is down for an hour of the service's clock. */
const programs = ['/usr/sbin/nginx', '/usr/bin/openssl'] as const
const outageSeconds = 3600
/** Below the time by which the clocks of the processor and the service may differ. */
const stepSeconds = 240
const stepMilliseconds = 3000

drill('cards work without nodes, and everything is paid and credited after their return', { programs }, async () => {
  let node: RpcProxy | undefined
  await withInstallation(
    async ({ ground, postgres, apis, load }) => {
      const client = new pg.Client(postgres.connection)
      await client.connect()
      ground.onStop(() => client.end())
      await load.more(150)
      say('the nodes do not respond')
      const waited = await openWork(client, load)
      node?.failWith((response) => response.destroy())
      for (let passed = 0; passed < outageSeconds; passed += stepSeconds) {
        // This request also makes a process read the shared clock again, even when it advances by 0 seconds.
        for (const [i, { url }] of apis.entries())
          await httpClient(url).sandbox('POST', '/clock', { advanceSeconds: i === 0 ? stepSeconds : 0 })
        load.advance(stepSeconds)
        await delay(stepMilliseconds)
      }
      await load.more(50)
      const open = await openWork(client, load)
      expect(open.withdrawals.length).toBeGreaterThan(waited.withdrawals.length)
      expect(open.deposits.length).toBeGreaterThan(waited.deposits.length)
      const statuses = await shownStatuses(apis[0]?.url ?? '', load, new Set(open.withdrawals))
      expect([...statuses.keys()].filter((status) => status !== 'pending' && status !== 'processing')).toEqual([])

      say('the nodes respond again')
      const returnedAt = performance.now()
      node?.failWith(null)
      const left = async () => {
        const now = await openWork(client, load)
        return {
          withdrawals: now.withdrawals.filter((id) => open.withdrawals.includes(id)).length,
          deposits: now.deposits.filter((key) => open.deposits.includes(key)).length,
        }
      }
      await expect.poll(async () => (await left()).withdrawals).toBeLessThan(open.withdrawals.length)
      const firstPayout = performance.now() - returnedAt
      await expect.poll(left).toEqual({ withdrawals: 0, deposits: 0 })
      const everything = performance.now() - returnedAt
      await load.more(50)
      await load.stop()
      expect(failedAttempts(load.seen)).toEqual([])
      const books = await checkBooks(ground, load, { connection: postgres.connection })
      await report('rpc-outage', {
        load,
        books,
        figures: {
          'Withdrawals that waited, and their status': [...statuses].map(([name, n]) => `${n} ${name}`).join(', '),
          'Deposits that waited': String(open.deposits.length),
          'From the return of the nodes to the next completed withdrawal': seconds(firstPayout),
          'From the return of the nodes until all of these are paid and credited': seconds(everything),
        },
      })
    },
    {
      async configure(ground) {
        const proxy = await startRpcProxy(ground.chain.url)
        ground.onStop(proxy.stop)
        node = proxy
        const [chain] = ground.config.tokens
        return { [`RPC_URL_${chain?.chainId}`]: proxy.url }
      },
    },
  )
})

/** Returns the withdrawals of the load that are not paid, and its deposits that are not credited. */
async function openWork(client: pg.Client, load: Load) {
  const paid = await client.query<{ id: string }>(
    `select withdrawal_id::text as id from withdrawal where status = 'completed'`,
  )
  const credited = await client.query<{ key: string }>(
    `select user_id || ' ' || amount as key from deposit where status = 'approved'`,
  )
  const [ids, keys] = [new Set(paid.rows.map(({ id }) => id)), new Set(credited.rows.map(({ key }) => key))]
  return {
    withdrawals: load.people.flatMap(({ withdrawals }) => withdrawals.map(({ id }) => id)).filter((id) => !ids.has(id)),
    // Each amount of a person is unique.
    deposits: load.people
      .flatMap(({ userId, deposits }) => deposits.map((units) => `${userId} ${units}`))
      .filter((key) => !keys.has(key)),
  }
}

/** Returns how many of the withdrawals have each status in the statements of their users. */
async function shownStatuses(url: string, load: Load, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { token } of load.people) {
    const page = await httpClient(url).request('GET', '/user/statement?type=withdrawal&limit=100', { token })
    for (const { id, status } of page.body.data) if (ids.has(id)) counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return counts
}
