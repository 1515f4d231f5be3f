import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { signBody } from '../../src/platform/crypto/body-signature.ts'
import { httpClient, newWallet, type Wallet } from '../support/service.ts'
import type { Ground } from './ground.ts'
import { say } from './needs.ts'

/**
 * Mixed traffic of several users: card messages, reads, deposits and withdrawals. It remembers every acknowledged
 * write, for `books.ts` to check at the end. A write without a response, or with a 5xx, is sent again with the same id
 * or key.
 */
export type Load = {
  readonly people: readonly Person[]
  readonly seen: readonly Seen[]
  /** Responses that no outage explains. */
  readonly unexpected: readonly string[]
  /** Waits until `count` more card messages were acknowledged. */
  more(count?: number): Promise<void>
  /** Lets each user finish the current action, which must be acknowledged. Later requests are not counted. */
  stop(): Promise<void>
  /** Moves the clock of the processor, which signs the times of its messages. */
  advance(seconds: number): void
  /** Sends a stored message of the processor again, and returns its response. */
  resend(message: Message): Promise<Answer>
}

type Kind = 'card message' | 'read' | 'withdrawal'
/**
 * One attempt of a request. `result` is a status with its error code, `TMO` for a decision that came too late, or the
 * lack of a response.
 */
export type Seen = { readonly kind: Kind; readonly at: number; readonly result: string; readonly isGood: boolean }

export type Message = {
  readonly path: string
  readonly body: Readonly<Record<string, string>>
  readonly text: string
  readonly at: number
}
type Withdrawal = { readonly id: string; readonly units: bigint; readonly at: number }

type Person = {
  readonly userId: string
  readonly account: string
  readonly wallet: Wallet
  readonly cardId: string
  readonly token: string
  readonly deposits: bigint[]
  readonly withdrawals: Withdrawal[]
  readonly messages: Message[]
  readonly holds: Payment[]
  /** Held or cleared by card payments. */
  spent: bigint
  /** The code of the newest approved authorization. Every later read of the statement must show it. */
  newestCode: string
}
type Payment = { readonly code: string; readonly cents: bigint }

type Answer = { readonly status: number; readonly text: string; readonly body: any }

/** Where the traffic goes. `tls` is for a proxy whose certificate this machine does not know. */
export type Target = { readonly url: string; readonly tls?: { readonly host: string; readonly ca: string } }

type Users = { readonly userCount?: number; readonly partnerId?: string }

export const cent = 10n ** 16n
const firstDeposit = 1_000_000n
const attemptMilliseconds = 10_000
const patienceMilliseconds = 400_000
const pauseMilliseconds = 60
/** Errors of a request that may be sent again. The last one comes from a process with a wrong clock. */
const isTemporary: ReadonlySet<unknown> = new Set(['REQUEST_IN_PROGRESS', 'ISSUER_TIMESTAMP_REFUSED'])

/**
 * Creates the users at `setupUrl`, which is a process of the service. Then starts the traffic, which sends its requests
 * to the targets in turn.
 */
export async function startLoad(
  ground: Ground,
  setupUrl: string,
  targets: () => readonly Target[],
  { userCount = 6, partnerId }: Users = {},
): Promise<Load> {
  const [key] = ground.config.issuerKeys
  if (key === undefined) throw new Error('the configuration has no key of a processor')
  const people = await Promise.all(Array.from({ length: userCount }, () => newPerson(ground, setupUrl, partnerId)))
  say('the traffic starts')
  const seen: Seen[] = []
  const unexpected: string[] = []
  const agents = new Map<string, Agent>()
  let turn = 0
  let isOver = false
  let isCounted = true
  let aheadSeconds = 0

  /** Opens a connection for each request to a proxy. An idle one may be closed at the moment it is used. */
  function agentOf({ url, tls }: Target): Agent {
    const name = `${url} ${tls?.ca}`
    const agent =
      agents.get(name) ?? new Agent(tls ? { pipelining: 0, connect: { ca: tls.ca, servername: tls.host } } : {})
    agents.set(name, agent)
    return agent
  }

  async function attempt(kind: Kind, path: string, init: Init): Promise<Answer | null> {
    const all = targets()
    const target = all[turn++ % all.length]
    if (target === undefined) throw new Error('the traffic has no target')
    const note = (result: string, isGood = false) => {
      if (isCounted) seen.push({ kind, at: performance.now(), result, isGood })
    }
    try {
      const { statusCode: status, body } = await request(`${target.url}${path}`, {
        ...init,
        headers: { ...init.headers, ...(target.tls && { host: target.tls.host }) },
        dispatcher: agentOf(target),
        signal: AbortSignal.timeout(attemptMilliseconds),
      })
      const text = await body.text()
      const answer = { status, text, body: parse(text) }
      const isLate = answer.body['declineCode'] === 'TMO'
      // The service responds with JSON, except for nonces. A proxy does not.
      const isOfProxy = status >= 500 && !text.startsWith('{')
      const code = status >= 400 && !isOfProxy ? ` ${answer.body['error']}` : ''
      note(isLate ? 'TMO' : `${status}${isOfProxy ? ' of the proxy' : code}`, status < 400 && !isLate)
      return answer
    } catch (error) {
      note(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'no connection')
      return null
    }
  }

  /** Repeats a write until it is acknowledged. */
  async function acknowledged(kind: Kind, path: string, init: () => Init): Promise<Answer> {
    for (const until = performance.now() + patienceMilliseconds; performance.now() < until; await delay(250)) {
      const answer = await attempt(kind, path, init())
      if (answer === null || answer.status >= 500 || isTemporary.has(answer.body['error'])) continue
      return answer
    }
    throw new Error(`${kind}: no response in ${patienceMilliseconds / 1000} s`)
  }

  function send(path: string, body: Message['body']): Promise<Answer> {
    const text = JSON.stringify(body)
    return acknowledged('card message', `/issuer/v1/${path}`, () => {
      const timestamp = String(Math.floor(Date.now() / 1000) + aheadSeconds)
      const headers = {
        'content-type': 'application/json',
        'x-issuer-key-id': key?.id ?? '',
        'x-issuer-timestamp': timestamp,
        'x-issuer-signature': `v1=${signBody(key?.secret ?? '', timestamp, text)}`,
      }
      return { method: 'POST', headers, body: text }
    })
  }

  /** Sends a card message and remembers its response. */
  async function sendMessage(person: Person, path: string, type: string, { code, cents }: Payment): Promise<Answer> {
    const money = { amount: String(cents), currency: 'EUR' }
    const body = { type, eventId: randomUUID(), cardId: person.cardId, authorizationCode: code, ...money }
    const answer = await send(path, body)
    if (answer.status === 200) person.messages.push({ path, body, text: answer.text, at: Date.now() })
    else unexpected.push(`${type}: ${answer.status} ${answer.text}`)
    return answer
  }

  // Random codes would collide in some runs, and a code of an open authorization is rejected.
  const codeCount = 36 ** 6
  let nextCode = randomInt(codeCount)
  async function purchase(person: Person): Promise<void> {
    const code = (nextCode++ % codeCount).toString(36).padStart(6, '0').toUpperCase()
    const payment = { code, cents: BigInt(1 + (person.messages.length % 900)) }
    const { body, text } = await sendMessage(person, 'authorizations', 'authorization', payment)
    if (body['outcome'] === 'approved') {
      person.spent += payment.cents
      person.holds.push(payment)
      person.newestCode = code
    } else if (body['outcome'] !== undefined && body['declineCode'] !== 'TMO') unexpected.push(text)
  }

  async function clear(person: Person): Promise<void> {
    const payment = person.holds.shift()
    if (payment === undefined) return purchase(person)
    await sendMessage(person, 'clearings', 'clearing', payment)
  }

  async function withdraw(person: Person): Promise<void> {
    // Each amount is unique, so that the chain shows a second payment of a withdrawal.
    const units = BigInt(100 + person.withdrawals.length) * cent
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${person.token}`,
      'idempotency-key': randomUUID(),
    }
    const body = JSON.stringify({ tokenAddress: ground.chain.token, amount: String(units) })
    const init = { method: 'POST', headers, body } as const
    const answer = await acknowledged('withdrawal', '/user/withdrawal', () => init)
    if (answer.status === 201) person.withdrawals.push({ id: answer.body['withdrawalId'], units, at: Date.now() })
    else unexpected.push(`withdrawal: ${answer.status} ${answer.text}`)
  }

  async function deposit(person: Person): Promise<void> {
    const units = BigInt(1000 + person.deposits.length) * cent
    await ground.chain.mint(person.account, units)
    person.deposits.push(units)
  }

  async function read(person: Person, path: string): Promise<void> {
    const answer = await attempt('read', path, { headers: { authorization: `Bearer ${person.token}` } })
    if (answer === null || answer.status >= 500) return
    if (answer.status !== 200) unexpected.push(`${path}: ${answer.text}`)
    else if (path.startsWith('/user/statement') && !answer.text.includes(person.newestCode))
      unexpected.push(`the statement of ${person.userId} lacks the payment ${person.newestCode}`)
  }

  const shares: readonly (readonly [number, (person: Person) => Promise<void>])[] = [
    [50, purchase],
    [20, clear],
    [12, (person) => read(person, '/user/balances/v2')],
    [10, (person) => read(person, '/user/statement?limit=20')],
    [5, withdraw],
    [3, deposit],
  ]

  function choose() {
    let left = Math.random() * 100
    for (const [share, action] of shares) {
      left -= share
      if (left < 0) return action
    }
    return purchase
  }

  async function live(person: Person): Promise<void> {
    while (!isOver) {
      await choose()(person)
      await delay(pauseMilliseconds)
    }
  }

  let problem: unknown = null
  const lives = Promise.all(people.map(live)).catch((error) => {
    problem = error
    isOver = true
  })
  const good = () => seen.filter(({ kind, isGood }) => kind === 'card message' && isGood).length
  return {
    people,
    seen,
    unexpected,
    async more(count = 100) {
      for (const before = good(); good() < before + count; await delay(20)) if (problem !== null) throw problem
    },
    async stop() {
      isOver = true
      await lives
      isCounted = false
      if (problem !== null) throw problem
      for (const agent of agents.values()) await agent.close()
      agents.clear()
    },
    advance(seconds) {
      aheadSeconds += seconds
    },
    resend: ({ path, body }) => send(path, body),
  }
}

type Init = {
  readonly method?: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

async function newPerson({ chain }: Ground, url: string, partnerId?: string): Promise<Person> {
  const client = httpClient(url)
  const wallet = newWallet()
  const made = await client.sandbox('POST', '/users', { address: wallet.address, country: 'DE', partnerId })
  const token = await client.signIn(wallet, 86_400)
  const body = { cardName: 'Everyday', phone: '+4915112345678' }
  const card = await client.request('POST', '/cards/virtual', { token, body })
  if (made.status !== 201 || card.status !== 201) throw new Error(`no user: ${made.text} ${card.text}`)
  const { userId, accountAddress: account } = made.body
  const units = firstDeposit * cent
  await chain.mint(account, units)
  const ask = async () => (await client.request('GET', '/user/balances/v2', { token })).body.data[0].spendable
  for (const until = performance.now() + patienceMilliseconds; (await ask()) !== String(units); await delay(100)) {
    if (performance.now() > until) throw new Error('the first deposit does not arrive')
  }
  const lists = { withdrawals: [], messages: [], holds: [] }
  return {
    userId,
    account,
    wallet,
    cardId: card.body.cardId,
    token,
    deposits: [units],
    ...lists,
    spent: 0n,
    newestCode: '',
  }
}

function parse(text: string): any {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
