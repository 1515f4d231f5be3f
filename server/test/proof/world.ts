import { setTimeout as delay } from 'node:timers/promises'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import { isConnectionFailure } from '../../src/platform/db/db.ts'
import { type httpClient, newWallet, type TestService } from '../support/service.ts'
import { actionOf, clockAction } from './actions.ts'
import { booksOf, messagesOf, partsOf, standingOf, statementOf } from './model.ts'
import { type Book, type Model, newModel, nonZero, type Token } from './model-books.ts'
import { type Action, type Answer, type Memory, outcomeOf, type Step, type Target, type User } from './steps.ts'

/** Two of the tokens have one currency and different decimals, so that a hold spans tokens. */
export const tokens: readonly (Token & { chainId: number })[] = [
  { address: '0xcB444e90D8198415266c6a2724b7900fb12FC56E', symbol: 'EURe', currency: 'EUR', decimals: 18, chainId: 1 },
  { address: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', symbol: 'EURC', currency: 'EUR', decimals: 6, chainId: 1 },
  { address: '0x5Cb9073902F2035222B9749F8fB0c9BFe5527108', symbol: 'GBPe', currency: 'GBP', decimals: 18, chainId: 1 },
]

/** Users of a run, each with a model beside it. */
export type World = {
  readonly users: { readonly account: User; model: Model }[]
  readonly memory: Memory
  readonly target: Target
  /** reads the service's database, in whichever process the service runs */
  readonly observer: TestService
  readonly trace: string[]
}

const people = [
  { country: 'DE', cards: 2 },
  { country: 'FR', cards: 1 },
  { country: 'GB', cards: 1 },
]

export async function newWorld(
  observer: TestService,
  target: Target,
  client: ReturnType<typeof httpClient>,
): Promise<World> {
  const users = await Promise.all(people.map((person) => newUser(client, person)))
  return {
    users,
    memory: { sent: [], texts: new Map(), codes: 0, events: 0 },
    target,
    observer,
    trace: [],
  }
}

async function newUser(client: ReturnType<typeof httpClient>, { country, cards }: { country: string; cards: number }) {
  const wallet = newWallet()
  const { userId, accountAddress } = must(
    await client.sandbox('POST', '/users', { address: wallet.address, country }),
    201,
  )
  const token = await client.signIn(wallet, 86_400)
  const ids: string[] = []
  for (let i = 0; i < cards; i++) {
    const body = { cardName: `Card ${i}`, phone: '+4915112345678' }
    ids.push(must(await client.request('POST', '/cards/virtual', { token, body }), 201).cardId)
  }
  const currency = country === 'GB' ? 'GBP' : 'EUR'
  const model = newModel(
    tokens,
    ids.map((id) => ({ id, currency, blockers: new Set<string>(), end: null })),
  )
  return { account: { userId, accountAddress, token }, model }
}

function must(answer: Answer, status: number) {
  if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body
}

/** Plays the steps. Returns the first failure, or null. */
export async function play(world: World, steps: readonly Step[]): Promise<string | null> {
  try {
    for (const group of groupsOf(steps)) {
      const [first] = group
      if (first?.does === 'clock') await moveClock(world, first)
      else await playTogether(world, group)
    }
    await world.target.inside?.seal()
    for (const user of world.users.keys()) await compare(world, user)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const alone: ReadonlySet<Step['does']> = new Set(['clock', 'deposit', 'look', 'chain'])
const maxParallel = 4

/** Groups each parallel step with the step before it, for the same user. */
function groupsOf(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = []
  for (const step of steps) {
    const last = groups.at(-1)
    const joins = step.isParallel && !alone.has(step.does) && last !== undefined && last.length < maxParallel
    if (joins && !alone.has(last[0]?.does ?? 'clock')) last.push({ ...step, who: last[0]?.who ?? 0 })
    else groups.push([step])
  }
  return groups
}

async function moveClock(world: World, step: Step): Promise<void> {
  const action = clockAction(world.target, step)
  world.trace.push(action.label)
  must(await action.send(), 200)
  for (const [user, { model }] of world.users.entries()) {
    action.expect(model, { status: 200, text: '', body: {} })
    await compare(world, user)
  }
}

async function playTogether(world: World, group: readonly Step[]): Promise<void> {
  const who = (group[0]?.who ?? 0) % world.users.length
  const user = world.users[who]
  if (!user) throw new Error('no such user')
  const actions = group.flatMap(
    (step) => actionOf(step, who, user.account, user.model, world.memory, world.target) ?? [],
  )
  if (actions.length === 0) return
  world.trace.push(`user ${who}: ${actions.map(({ label }) => label).join('\n   with ')}`)
  const answers = await Promise.all(actions.map((action) => action.send()))
  const done = actions.map((action, i) => ({ action, answer: answers[i] ?? noResponse }))

  const now = await storedBy(world, user.account.userId)
  let first: string | null = null
  for (const order of ordersOf(done)) {
    const tried = structuredClone(user.model)
    const problem = difference(tried, order, now)
    if (problem === null) {
      user.model = tried
      return assertBooks(world, who)
    }
    first ??= problem
  }
  throw new Error(done.length === 1 ? String(first) : `no order of the ${done.length} requests explains this: ${first}`)
}

const noResponse: Answer = { status: 0, text: '', body: null }

type Done = { action: Action; answer: Answer }

function difference(model: Model, order: readonly Done[], now: Stored): string | null {
  for (const { action, answer } of order) {
    const predicted = action.expect(model, answer)
    const outcome = outcomeOf(answer)
    if (outcome !== predicted) return `response: ${outcome} (${answer.text})\npredicted: ${predicted}`
  }
  return differenceOf(model, now)
}

/** Compares everything that decides later outcomes. Two orders may give equal books and differ in the rest. */
function differenceOf(model: Model, now: Stored): string | null {
  const books = show(booksOf(model))
  if (books !== show(now.books)) return `the books are\n${show(now.books)}\npredicted:\n${books}`
  const views: [string, string[], string[]][] = [
    ['the statement is', statementOf(model), now.rows],
    ['the parts are', partsOf(model), now.parts],
    ['the messages have the amounts', messagesOf(model), now.messages],
    ['the states of account and cards are', standingOf(model), now.standing],
  ]
  const differing = views.find(([, predicted, stored]) => predicted.join('\n') !== stored.join('\n'))
  if (!differing) return null
  const [what, predicted, stored] = differing
  return `${what}\n${stored.join('\n')}\npredicted:\n${predicted.join('\n')}`
}

function ordersOf<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]]
  return list.flatMap((one, i) => ordersOf(list.toSpliced(i, 1)).map((rest) => [one, ...rest]))
}

/** Asserts that a user's stored state matches the model and the invariants hold. */
export async function compare(world: World, who: number): Promise<void> {
  const user = world.users[who]
  if (!user) throw new Error('no such user')
  const problem = differenceOf(user.model, await storedBy(world, user.account.userId))
  if (problem !== null) throw new Error(`user ${who}: ${problem}`)
  await assertBooks(world, who)
}

async function assertBooks(world: World, who: number): Promise<void> {
  const userId = world.users[who]?.account.userId ?? ''
  const problems = await retryDuringOutage(() => checkUser(world.observer.ctx, userId))
  if (problems.length > 0) throw new Error(`user ${who}: ${problems.map((one) => JSON.stringify(one)).join('\n')}`)
}

const maxOutageMilliseconds = 120_000

/** Retries a read while PostgreSQL is unavailable, because some proofs kill it. */
async function retryDuringOutage<T>(read: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + maxOutageMilliseconds; ; await delay(50)) {
    try {
      return await read()
    } catch (error) {
      if (!isConnectionFailure(error) || performance.now() > until) throw error
    }
  }
}

type Stored = {
  books: Record<string, Partial<Book>>
  rows: string[]
  parts: string[]
  messages: string[]
  standing: string[]
}

async function storedBy({ observer, users, target }: World, userId: string): Promise<Stored> {
  const { db } = observer.ctx
  const cards = users.find(({ account }) => account.userId === userId)?.model.cards ?? []
  const [balances, items, parts, messages, standing] = await retryDuringOutage(() =>
    Promise.all([
      db.query<Book & { token: string }>('select * from ledger_balance where user_id = $1', [userId]),
      db.query<{ item: string }>('select item from statement_item where user_id = $1', [userId]),
      db.query<StoredPart>(
        `select t.card_id as "cardId", t.authorization_code as code, t.kind, p.token, p.held, p.settled
         from card_transaction_part p join card_transaction t on t.user_id = p.user_id
           and t.card_transaction_id = p.card_transaction_id
         where p.user_id = $1 and t.user_id = $1 and p.held + p.settled > 0`,
        [userId],
      ),
      db.query<StoredMessage>(
        `select card_id as "cardId", authorization_code as code, type, amount_minor as cents from card_message
         where user_id = $1 and outcome <> 'declined'
           and type not in ('refund', 'refund_reversal', 'clearing_cancellation')`,
        [userId],
      ),
      db.query<StoredStanding>(
        `select a.status as account, u.kyc_status = 'approved' as "isKnown", c.card_id as "cardId", c.status,
           c.blocked_by as "blockedBy"
         from account a join app_user u on u.user_id = a.user_id join card c on c.user_id = a.user_id
         where a.user_id = $1 and u.user_id = $1 and c.user_id = $1`,
        [userId],
      ),
    ]),
  )
  // In another process, a worker sends withdrawals at any time, so `processing` counts as `pending`.
  const status = (row: string) =>
    target.inside === null ? row.replace('withdrawal processing', 'withdrawal pending') : row
  const books = Object.fromEntries(tokens.map(({ address }) => [address, {}]))
  return {
    books: { ...books, ...Object.fromEntries(balances.map((row) => [row.token, nonZero(row)])) },
    rows: items.map(({ item }) => status(lineOf(JSON.parse(item), cards))).sort(),
    parts: parts.map((part) => partLineOf(part, cards)).sort(),
    messages: messages.map((message) => messageLineOf(message, cards)).sort(),
    standing: standingLines(standing, cards),
  }
}

type StoredMessage = { cardId: string; code: string; type: string; cents: bigint | null }

function messageLineOf({ cardId, code, type, cents }: StoredMessage, cards: Model['cards']): string {
  return `card ${cards.findIndex(({ id }) => id === cardId)} ${code} ${type} ${cents}`
}

type StoredStanding = { account: string; isKnown: boolean; cardId: string; status: string; blockedBy: string[] }

function standingLines(rows: readonly StoredStanding[], cards: Model['cards']): string[] {
  const [first] = rows
  const lines = rows.map(({ cardId, status, blockedBy }) => {
    const end = ends.has(status) ? status : 'none'
    return `card ${cards.findIndex(({ id }) => id === cardId)} blocked by ${blockedBy.toSorted()}, end ${end}`
  })
  return [`account ${first?.account}, known ${first?.isKnown}`, ...lines].sort()
}

const ends: ReadonlySet<string> = new Set(['lost', 'stolen', 'expired'])

type StoredPart = { cardId: string; code: string; kind: string; token: string; held: bigint; settled: bigint }

function partLineOf({ cardId, code, kind, token, held, settled }: StoredPart, cards: Model['cards']): string {
  const card = cards.findIndex(({ id }) => id === cardId)
  return `card ${card} ${code} ${kind} ${symbolOf(token)} holds ${held}, settled ${settled}`
}

function lineOf(item: any, cards: Model['cards']): string {
  if (item.type !== 'card_transaction') return `${item.type} ${item.status} ${item.amount}`
  const card = cards.findIndex(({ id }) => id === item.cardId)
  const credit = item.isCredit ? ' credit' : ''
  return `card ${card} ${item.authorizationCode} ${item.kind} ${item.status} ${item.amount}${credit}`
}

const symbolOf = (token: string) => tokens.find(({ address }) => address === token)?.symbol ?? token

function show(books: Record<string, Partial<Book>>): string {
  return Object.entries(books)
    .map(([token, book]) => {
      return `  ${symbolOf(token)}: ${Object.entries(book)
        .map(([account, units]) => `${account} ${units}`)
        .join(', ')}`
    })
    .sort()
    .join('\n')
}

const shrinkMilliseconds = 60_000

/** Shrinks a failing list: removes ever smaller parts while the remaining list still fails. */
export async function shrink(
  steps: readonly Step[],
  failureOf: (steps: readonly Step[]) => Promise<string | null>,
): Promise<readonly Step[]> {
  const until = performance.now() + shrinkMilliseconds
  let left = steps
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length && performance.now() < until; ) {
      const without = left.toSpliced(at, size)
      if (without.length > 0 && (await failureOf(without)) !== null) left = without
      else at += size
    }
  }
  return left
}
