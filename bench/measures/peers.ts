import { deepStrictEqual } from 'node:assert'
import { readFile } from 'node:fs/promises'
import type { Ground } from '../ground.ts'
import { loadHttp } from '../load.ts'
import { insertPeerTables } from '../peer-tables.ts'
import { type Server, startPeer } from '../processes.ts'
import type { Row } from '../report.ts'
import { interleave } from '../rounds.ts'

/** A program that serves the same first page of 100 items, from typed tables with the same movements. */
type Peer = {
  readonly title: string
  readonly path: string
  readonly goals: { readonly perCore: number; readonly byClock?: number }
  /** Returns the items of a response. */
  items(body: unknown): readonly object[]
  /** The fields of an item that must equal Purser's. Undefined: all. */
  readonly compared?: readonly string[]
}

const path = '/user/statement?limit=100'
const items = (body: unknown): readonly object[] => Object(body).data
const query = await readFile(new URL('../peers/statement.graphql', import.meta.url), 'utf8')

const peers = {
  drizzle: { title: 'Fastify + Drizzle', path, goals: { perCore: 6, byClock: 3 }, items },
  nestjs: { title: 'NestJS + TypeORM', path, goals: { perCore: 7 }, items },
  postgraphile: {
    title: 'PostGraphile',
    path: `/graphql?query=${encodeURIComponent(query)}`,
    goals: { perCore: 7 },
    items: (body) => Object(body).data.allMovements.nodes,
    // Its objects are flat, and it writes times and large numbers in another format.
    compared: ['type', 'id', 'status', 'amount', 'currency', 'decimals', 'isCredit', 'description'],
  },
} satisfies Record<string, Peer>
type Name = keyof typeof peers

/** Compares the first page of 100 with peers that serve it from typed tables with the same movements. */
export async function measurePeers(ground: Ground): Promise<Row[]> {
  const { service, database, settings, tokens } = ground
  await insertPeerTables(database.client)
  const contender = (server: Server, path: string) => ({
    run: () => loadHttp(`${server.url}${path}`, tokens, settings.seconds),
    cpu: ground.clocks(server),
  })
  const started: Server[] = []
  const start = async (name: Name) => {
    const peer: Peer = peers[name]
    const env = { DATABASE_URL: database.url, JWKS_URL: `${service.url}/.well-known/jwks.json` }
    const server = await startPeer(name, env)
    started.push(server)
    await verifyItems(peer, server, service, tokens[0])
    return contender(server, peer.path)
  }
  try {
    const cost = await interleave(
      {
        service: contender(service, path),
        drizzle: await start('drizzle'),
        nestjs: await start('nestjs'),
        postgraphile: await start('postgraphile'),
      },
      settings.rounds,
    )
    const measure = 'peers'
    const cpuRows = (name: keyof typeof cost, title: string): Row[] => {
      const { server, postgres } = cost[name].microseconds
      return [
        { measure, what: `server CPU per request, ${title}`, figure: server, unit: 'µs' },
        { measure, what: `PostgreSQL CPU per request, ${title}`, figure: postgres, unit: 'µs' },
      ]
    }
    const peerRows = (name: Name): Row[] => {
      const { title, goals }: Peer = peers[name]
      const perCore = cost[name].microseconds.server / cost.service.microseconds.server
      const byClock = cost.service.requestsPerSecond / cost[name].requestsPerSecond
      const what = `statement-100 per server core: Purser ÷ ${title}`
      const clockGoal = goals.byClock === undefined ? {} : { goal: { atLeast: goals.byClock } }
      return [
        { measure, what, figure: perCore, unit: '×', goal: { atLeast: goals.perCore } },
        { measure, what: `statement-100 by wall clock: Purser ÷ ${title}`, figure: byClock, unit: '×', ...clockGoal },
        ...cpuRows(name, title),
      ]
    }
    return [...cpuRows('service', 'Purser'), ...(Object.keys(peers) as Name[]).flatMap(peerRows)]
  } finally {
    for (const server of started) await server.stop()
  }
}

/** Verifies that a peer returns the same items as the service, in the same order. */
async function verifyItems(peer: Peer, server: Server, service: Server, token = ''): Promise<void> {
  const get = async (url: string) => (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json()
  const narrow = (item: object) =>
    peer.compared ? Object.fromEntries(Object.entries(item).filter(([key]) => peer.compared?.includes(key))) : item
  // The cursors differ, since only Purser's has a MAC.
  const served = peer.items(await get(`${server.url}${peer.path}`)).map(narrow)
  deepStrictEqual(served, items(await get(`${service.url}${path}`)).map(narrow))
}
