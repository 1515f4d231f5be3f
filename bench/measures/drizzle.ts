import { deepStrictEqual } from 'node:assert'
import type { Ground } from '../ground.ts'
import { loadHttp } from '../load.ts'
import { insertPeerTables } from '../peer-tables.ts'
import { startPeer } from '../processes.ts'
import type { Row } from '../report.ts'
import { interleave } from '../rounds.ts'

/** The first page of 100 against Fastify and Drizzle on typed tables with the same movements. */
export async function measureDrizzle(ground: Ground): Promise<Row[]> {
  const { service, database, settings, tokens } = ground
  await insertPeerTables(database.client)
  const peer = await startPeer('drizzle', {
    DATABASE_URL: database.url,
    JWKS_URL: `${service.url}/.well-known/jwks.json`,
  })
  try {
    deepStrictEqual(await firstItems(peer.url, tokens[0]), await firstItems(service.url, tokens[0]))
    const contender = (server: typeof peer) => ({
      run: () => loadHttp(`${server.url}/user/statement?limit=100`, tokens, settings.seconds),
      cpu: ground.clocks(server),
    })
    const cost = await interleave({ service: contender(service), peer: contender(peer) }, settings.rounds)
    const measure = 'drizzle'
    return [
      {
        measure,
        what: 'statement-100 per server core: Purser ÷ Fastify + Drizzle',
        figure: cost.peer.microseconds.server / cost.service.microseconds.server,
        unit: '×',
        goal: { atLeast: 6 },
      },
      {
        measure,
        what: 'the same by wall clock',
        figure: cost.service.requestsPerSecond / cost.peer.requestsPerSecond,
        unit: '×',
        goal: { atLeast: 3 },
      },
      { measure, what: 'server CPU per request, Purser', figure: cost.service.microseconds.server, unit: 'µs' },
      { measure, what: 'server CPU per request, Fastify + Drizzle', figure: cost.peer.microseconds.server, unit: 'µs' },
      { measure, what: 'PostgreSQL CPU per request, Purser', figure: cost.service.microseconds.postgres, unit: 'µs' },
      {
        measure,
        what: 'PostgreSQL CPU per request, Fastify + Drizzle',
        figure: cost.peer.microseconds.postgres,
        unit: 'µs',
      },
    ]
  } finally {
    await peer.stop()
  }
}

/** Verifies that both return the same items. */
async function firstItems(url: string, token = ''): Promise<unknown> {
  const answer = await fetch(`${url}/user/statement?limit=100`, { headers: { authorization: `Bearer ${token}` } })
  // The cursors differ, since only one of them has a MAC.
  return Object(await answer.json()).data
}
