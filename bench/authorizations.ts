import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { decideMessage } from '../server/src/cards/gateway/messages.ts'
import type { Config } from '../server/src/config/config.ts'
import type { Ctx } from '../server/src/context.ts'
import { createCaches } from '../server/src/platform/cache/caches.ts'
import { signBody } from '../server/src/platform/crypto/body-signature.ts'
import { type Db, openDb, type Tx } from '../server/src/platform/db/db.ts'
import { directoryKey } from '../server/src/platform/db/directory.ts'
import { createLog } from '../server/src/platform/observability/log.ts'
import { createMetrics } from '../server/src/platform/observability/metrics.ts'
import { sandboxProviders } from '../server/src/providers/sandbox-providers.ts'
import { cardToken } from './card-users.ts'
import type { Connection } from './load.ts'
import type { Row } from './report.ts'
import { quantile } from './rounds.ts'

/** Authorizations as a card processor sends them, and the statements that each of them costs. */
const eventIdOf = () => `evt-${randomUUID()}`

type Card = { readonly cardToken: string } | { readonly cardId: string }

const benchCard = (number: number): Card => ({ cardToken: cardToken(number) })

function messageOf(card: Card) {
  return {
    type: 'authorization' as const,
    eventId: eventIdOf(),
    ...card,
    amount: '100',
    currency: 'EUR',
    entryMode: 'contactless' as const,
    merchant: { name: 'Corner Shop', city: 'Berlin', country: 'DE', categoryCode: '5411' },
  }
}

export type Signed = { readonly timestamp: string; readonly signature: string; readonly body: string }

/** Signs one request for each user number of `insertCardUsers`. A signature is valid for five minutes. */
export function signAuthorizations(config: Config, numbers: readonly number[]): Signed[] {
  return signForCards(config, numbers.map(benchCard))
}

/** Signs one request for each card. A signature is valid for five minutes. */
export function signForCards(config: Config, cards: readonly Card[]): Signed[] {
  const [key] = config.issuerKeys
  if (!key) throw new Error('the configuration has no key of a processor')
  const timestamp = String(Math.floor(Date.now() / 1000))
  return cards.map((card) => {
    const body = JSON.stringify(messageOf(card))
    return { timestamp, signature: `v1=${signBody(key.secret, timestamp, Buffer.from(body))}`, body }
  })
}

/**
 * Sends at a steady rate without waiting for responses. Returns the milliseconds from each due time to the response.
 */
export async function sendSteadily(url: string, signed: readonly Signed[], perSecond: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const took: Promise<number>[] = []
  const startedAt = performance.now()
  for (const one of signed) {
    const dueAt = startedAt + (took.length / perSecond) * 1000
    const wait = dueAt - performance.now()
    if (wait > 0) await delay(wait)
    took.push(send(agent, url, one).then(() => performance.now() - dueAt))
  }
  try {
    return await Promise.all(took)
  } finally {
    agent.destroy()
  }
}

/** Compares milliseconds at half load with those of pgbench at the same rate. */
export function latencyRatios(measure: string, own: readonly number[], pgbench: readonly number[]): Row[] {
  const ratio = (share: number) => quantile(own, share) / quantile(pgbench, share)
  return [
    {
      measure,
      what: 'p99 at half load ÷ that of pgbench',
      figure: ratio(0.99),
      unit: '×',
      goal: { atMost: 1.25 },
    },
    { measure, what: 'p99.9 at half load ÷ that of pgbench', figure: ratio(0.999), unit: '×', goal: { atMost: 1.5 } },
  ]
}

function send(agent: Agent, url: string, { timestamp, signature, body }: Signed): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-issuer-key-id': 'sandbox',
      'x-issuer-timestamp': timestamp,
      'x-issuer-signature': signature,
    }
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`))))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

type Sent = { readonly text: string; readonly values: readonly unknown[] }
/** `trips` counts the round trips to PostgreSQL, with begin and commit: the service sends several statements in one. */
type Recorded = { readonly sent: readonly Sent[]; readonly trips: number }

/** Records the statements of one authorization between begin and commit, as the service sends them. */
async function recordAuthorization(connection: Connection, config: Config, number: number): Promise<Recorded> {
  const real = openDb(connection, config, () => {})
  try {
    const sent: Sent[] = []
    // The commit, which shares its round trip with the statements before it that are not awaited.
    let trips = 1
    let underWay = 0
    const recording = (tx: Tx): Tx => ({
      ...tx,
      async query<Row>(text: string, values: readonly unknown[] = []) {
        sent.push({ text, values })
        if (underWay++ === 0) trips++
        try {
          return await tx.query<Row>(text, values)
        } finally {
          underWay--
        }
      },
      send(text, values = []) {
        sent.push({ text, values })
        tx.send(text, values)
      },
    })
    const db: Db = { ...real, transaction: (work) => real.transaction((tx) => work(recording(tx))) }
    const plain = {
      config,
      processId: randomUUID(),
      db,
      log: createLog('silent'),
      metrics: createMetrics(),
      caches: createCaches(),
    }
    const ctx: Ctx = { ...plain, ...(await sandboxProviders(config, db)) }
    // The first authorization of a card also finds its user, which the process then caches.
    await decideMessage(ctx, messageOf(benchCard(number)), performance.now())
    sent.length = 0
    trips = 1
    const answer = await decideMessage(ctx, messageOf(benchCard(number)), performance.now())
    if (answer.outcome !== 'approved') throw new Error(`the authorization was not approved: ${JSON.stringify(answer)}`)
    return { sent, trips }
  } finally {
    await real.stop()
  }
}

export type AuthorizationScript = Pick<Recorded, 'trips'> & {
  readonly text: string
  readonly statements: number
  readonly variables: ReadonlyMap<string, string>
}

/**
 * Returns the same transaction as a pgbench script for any user. One query before it supplies the values that differ in
 * each authorization (user, ids, codes). All other values are constant.
 */
export async function authorizationScript(
  connection: Connection,
  config: Config,
  users: number,
): Promise<AuthorizationScript> {
  const [one, other] = [
    await recordAuthorization(connection, config, 1),
    await recordAuthorization(connection, config, 2),
  ]
  const variables = new Map<string, string>([['users', String(users)]])
  const fresh = new Map<string, string>()
  const columns = new Map<string, string>()
  const own = await ownValues(connection, config)

  function variableFor(value: unknown, before: unknown): string {
    const text = asText(value)
    const known = own.get(text) ?? fresh.get(text)
    if (known !== undefined) return known
    const expression = asText(before) === text ? null : freshExpression(value)
    const name = expression === null ? `c${variables.size}` : `f${fresh.size}`
    if (expression === null) variables.set(name, text)
    else {
      fresh.set(text, name)
      columns.set(name, expression)
    }
    return name
  }

  const statements = other.sent.map(({ text, values }, i) => {
    const terms = values.map((value, position) =>
      value === null ? 'null' : `:${variableFor(value, one.sent[i]?.values[position])}`,
    )
    return `${text.replace(/\$(\d+)/g, (_, position) => terms[Number(position) - 1] ?? '')};`
  })
  const made = [...columns].map(([name, expression]) => `${expression} as ${name}`)
  const pick = `select user_id, card_id, card_token, bench_key('card_token:' || card_token) as token_key, bench_key('card:' || card_id) as card_key, ${made.join(', ')} from bench_card where n = :n \\gset`
  const text = ['\\set n random(1, :users)', pick, 'begin;', ...statements, 'commit;', ''].join('\n')
  return { text, statements: statements.length, trips: other.trips, variables }
}

/** The values that identify the second user, whose authorization becomes the script. */
async function ownValues(connection: Connection, config: Config): Promise<Map<string, string>> {
  const db = openDb(connection, config, () => {})
  try {
    const [row] = await db.query<{ userId: string; cardId: string }>(
      'select user_id as "userId", card_id as "cardId" from bench_card where n = 2',
    )
    if (!row) throw new Error('there is no second user')
    return new Map([
      [row.userId, 'user_id'],
      [row.cardId, 'card_id'],
      [cardToken(2), 'card_token'],
      [directoryKey(`card_token:${cardToken(2)}`), 'token_key'],
      [directoryKey(`card:${row.cardId}`), 'card_key'],
    ])
  } finally {
    await db.stop()
  }
}

const newCode = 'upper(left(md5(random()::text), 6))'

/** Returns the expression of a value that differs in each run, or null for one that may repeat, such as a time. */
function freshExpression(value: unknown): string | null {
  const text = asText(value)
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text)) return 'bench_id()'
  if (text.startsWith('evt-')) return `'evt-' || gen_random_uuid()`
  if (/^[0-9A-Z]{6}$/.test(text)) return newCode
  if (/^\{("[0-9A-Z]{6}",?)+\}$/.test(text)) return `array[${text.split(',').map(() => newCode)}]::text`
  return typeof value === 'bigint' ? '(random() * 2 ^ 52)::bigint' : null
}

function asText(value: unknown): string {
  if (Array.isArray(value)) {
    return `{${value.map((item) => (Array.isArray(item) ? asText(item) : JSON.stringify(asText(item)))).join(',')}}`
  }
  if (value instanceof Date) return value.toISOString()
  return String(value)
}
