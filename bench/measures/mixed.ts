import { setTimeout as delay } from 'node:timers/promises'
import { authorizationScript, latencyRatios, type Signed, signForCards } from '../authorizations.ts'
import { createCardDatabase } from '../card-users.ts'
import type { Settings } from '../ground.ts'
import { type Connection, loadSigned, manyConnections, runScriptSteadily, type Script } from '../load.ts'
import { cpuSeconds } from '../machine.ts'
import type { Row } from '../report.ts'
import { median, quantile } from '../rounds.ts'
import type { Scene } from '../soak/actions.ts'
import { checkEnd } from '../soak/books.ts'
import { prepareSoakGround, type SoakGround } from '../soak/ground.ts'
import { randomFrom } from '../soak/random.ts'
import { createRequests, type Requests } from '../soak/requests.ts'
import { runTraffic } from '../soak/traffic.ts'
import { createPartners, createUser, type SoakPartner, type SoakUser } from '../soak/users.ts'
import { startSteadySender } from '../steady-sender.ts'
import { insertOperator } from './operator.ts'

const measure = 'mixed'
const path = '/issuer/v1/authorizations'
/** The users of the other traffic, and its actions per second, as in a soak. */
const otherUsers = 100
const otherRate = 60
const searchesPerSecond = 2
/** A worker waits a minute between two checks of the books. The default is an hour. */
const everyMinute = { RECONCILE_EVERY_SECONDS: '60' }
/**
 * Both sides take turns of this length, so that a pause of the disk meets both alike. With 15 seconds, a round of
 * seals, every 30 seconds, would always meet the same side.
 */
const turnSeconds = 11
const rateSeconds = 10
/** More requests than any machine completes, so that none is sent twice. */
const signedPerSecond = 6000
const usersAtOnce = 16
/** The first deposits of all users are mined one after the other. */
const fundedWithinSeconds = 600

/**
 * Measures authorizations at half of the reachable rate beside all other work. This work contains the traffic of a soak
 * (other card messages, reads, sign-ins, deposits from the chain, payouts and webhooks). It also contains checks of the
 * books and an operator's searches. pgbench runs the statements of an authorization at the same rate, in turn. It has
 * the same work beside it, on the same server.
 */
export async function measureMixed(settings: Settings): Promise<Row[]> {
  const random = randomFrom(Date.now() % 2 ** 31)
  const ground = await prepareSoakGround(random, everyMinute)
  try {
    const [issuerKey] = ground.config.issuerKeys
    if (issuerKey === undefined) throw new Error('the configuration has no key of a processor')
    const requests = createRequests(ground.processes.api.url, issuerKey)
    const partners = await createPartners(ground, requests)
    const users = await createUsers(ground, requests, partners, { from: 0, count: otherUsers })
    // Without a partner, so that the webhooks are those of the other traffic.
    const payers = await createUsers(ground, requests, [], { from: otherUsers, count: settings.payers })
    await untilFunded(ground, users.length + payers.length)
    const bare = await prepareBare(ground, settings)

    const ending = new AbortController()
    const scene: Scene = { ground, requests, partners, random }
    const forever = { rate: otherRate, seconds: Number.POSITIVE_INFINITY, signal: ending.signal }
    const startedAt = new Date()
    const others = Promise.all([runTraffic(scene, users, forever), search(ground, payers, ending.signal)])
    // Avoids an unhandled rejection. The code that awaits the promise gets the error.
    others.catch(() => undefined)
    const cards = payers.map(({ cardId }) => ({ cardId }))
    const sign = (count: number) =>
      signForCards(
        ground.config,
        Array.from({ length: count }, () => cards[Math.floor(random() * cards.length)] ?? { cardId: '' }),
      )
    const measured = await measureTurns(ground, settings, { bare, sign }).finally(() => ending.abort())
    const [traffic, searches] = await others
    const { tally } = requests
    for (const line of tally.unexpected) process.stderr.write(`unexpected: ${line}\n`)
    const checks = await findChecks(ground, startedAt)
    const { rows } = await ground.database.client.query(
      `select count(*)::int as declined from card_message where outcome <> 'approved' and card_id = any($1)`,
      [payers.map(({ cardId }) => cardId)],
    )
    const fact = (what: string, figure: number, unit: Row['unit'] = ''): Row => ({ measure, what, figure, unit })
    const none = (what: string, figure: number): Row => ({ ...fact(what, figure), goal: { atMost: 0 } })
    return [
      ...measured,
      fact('other actions', traffic.actions / traffic.seconds, '/s'),
      fact(
        'webhook events accepted',
        ground.receiver.accepted.reduce((sum, { size }) => sum + size, 0),
      ),
      fact('searches of an operator, p99', quantile(searches, 0.99), 'ms'),
      { ...fact('checks of the books meanwhile', checks.length), goal: { atLeast: 1 } },
      none(
        'bad rows that they found',
        checks.reduce((sum, { badRows }) => sum + badRows, 0),
      ),
      fact('the longest check', Math.max(0, ...checks.map(({ seconds }) => seconds)), 's'),
      none('measured authorizations that were declined', rows[0].declined),
      none('unexpected responses', tally.unexpectedCount),
      ...(await checkEnd(scene, users)),
    ]
  } finally {
    await ground.stop()
  }
}

type Bare = { readonly connection: Connection; readonly script: Script }
type Load = { readonly bare: Bare; readonly sign: (count: number) => Signed[] }

async function measureTurns(ground: SoakGround, settings: Settings, { bare, sign }: Load): Promise<Row[]> {
  const { processes } = ground
  const url = processes.api.url + path
  const full = () => loadSigned(url, sign(rateSeconds * signedPerSecond), rateSeconds, manyConnections)
  await full()
  const { requests, seconds } = await full()
  const perSecond = requests / seconds / 2
  const took: Record<'service' | 'pgbench', number[]> = { service: [], pgbench: [] }
  const pids = [...Object.values(processes).map(({ pid }) => pid)]
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), ground.database.cpuSeconds())
  const sender = startSteadySender()
  const turnOf = {
    service: () => sender.send({ url, perSecond, signed: sign(Math.ceil(turnSeconds * perSecond)) }),
    pgbench: () => runScriptSteadily(bare.connection, bare.script, turnSeconds, perSecond),
  }
  let [elapsed, cores] = [0, 0]
  try {
    // Not counted.
    await turnOf.service()
    await turnOf.pgbench()
    const [startedAt, cpuBefore] = [performance.now(), cpu()]
    for (let turn = 0; turn * 2 * turnSeconds < settings.minutes * 60; turn++) {
      took.service.push(...(await turnOf.service()))
      took.pgbench.push(...(await turnOf.pgbench()))
    }
    elapsed = (performance.now() - startedAt) / 1000
    cores = (cpu() - cpuBefore) / elapsed
  } finally {
    sender.stop()
  }
  const ms = (what: string, figure: number): Row => ({ measure, what, figure, unit: 'ms' })
  const at = (side: keyof typeof took, share: number) => quantile(took[side], share)
  return [
    ...latencyRatios(measure, took.service, took.pgbench),
    ms('the service, median', median(took.service)),
    ms('the service, p99', at('service', 0.99)),
    ms('the service, p99.9', at('service', 0.999)),
    ms('pgbench, median', median(took.pgbench)),
    ms('pgbench, p99', at('pgbench', 0.99)),
    ms('pgbench, p99.9', at('pgbench', 0.999)),
    { measure, what: 'authorizations measured', figure: took.service.length, unit: '' },
    { measure, what: 'rate of each side, half of the reachable one', figure: perSecond, unit: '/s' },
    { measure, what: 'duration', figure: elapsed, unit: 's' },
    { measure, what: 'cores used by the service and PostgreSQL', figure: cores, unit: '' },
  ]
}

type Numbers = { readonly from: number; readonly count: number }

async function createUsers(
  ground: SoakGround,
  requests: Requests,
  partners: readonly SoakPartner[],
  { from, count }: Numbers,
): Promise<SoakUser[]> {
  const users: SoakUser[] = []
  while (users.length < count) {
    const batch = Array.from({ length: Math.min(usersAtOnce, count - users.length) }, (_, i) => from + users.length + i)
    users.push(...(await Promise.all(batch.map((number) => createUser(ground, requests, partners, number)))))
  }
  return users
}

async function untilFunded({ database }: SoakGround, count: number): Promise<void> {
  for (const until = Date.now() + fundedWithinSeconds * 1000; Date.now() < until; await delay(500)) {
    const { rows } = await database.client.query(
      'select count(*)::int as funded from ledger_balance where available > 0',
    )
    if (rows[0].funded >= count) return
  }
  throw new Error(`not all of ${count} users have their first deposit after ${fundedWithinSeconds} s`)
}

/**
 * Prepares another database of the same server for pgbench, whose statements would leave the service's books
 * incomplete.
 */
async function prepareBare({ config, database }: SoakGround, { payers }: Settings): Promise<Bare> {
  const connection = { ...database.connection, database: 'bare' }
  await createCardDatabase(connection, config, { users: payers, postings: 2 * payers })
  return { connection, script: await authorizationScript(connection, config, payers) }
}

type Check = { readonly badRows: number; readonly seconds: number }

/** Returns the checks of the books since a time. A failed one is in the log of errors. */
async function findChecks({ database }: SoakGround, since: Date): Promise<Check[]> {
  const { rows } = await database.client.query<Check>(
    `select bad_rows::int as "badRows", extract(epoch from ended_at - started_at)::float8 as seconds
     from reconcile_run where started_at > $1`,
    [since],
  )
  return rows
}

/** Searches as an operator does. Returns the milliseconds of each search. */
async function search(ground: SoakGround, payers: readonly SoakUser[], signal: AbortSignal): Promise<number[]> {
  const token = await insertOperator(ground.database.client)
  const took: number[] = []
  for (let i = 0; !signal.aborted; i++) {
    const payer = payers[i % payers.length]
    const name = [payer?.userId, payer?.cardId, payer?.wallet.address][i % 3] ?? ''
    const startedAt = performance.now()
    const response = await fetch(`${ground.processes.api.url}/operator/search?q=${name}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`search: ${response.status} ${text}`)
    took.push(performance.now() - startedAt)
    await delay(1000 / searchesPerSecond)
  }
  return took
}
