import { setTimeout as delay } from 'node:timers/promises'
import {
  createPurser,
  formatAmount,
  type Purser,
  PurserError,
  parseAmount,
  type StatementItem,
  simulator,
  walletSession,
} from '../../../client/src/index.ts'
import { Failure } from '../command.ts'
import { secondsOf } from '../durations.ts'
import { fetchUntil } from '../fetch-until.ts'
import { requirePurser } from '../problems.ts'
import { planSteps, randomOf } from './plan.ts'
import type { Expected, Scenario, Step } from './scenario.ts'

export type ScenarioOptions = {
  readonly baseUrl: string
  readonly sandboxPassword: string
  /** Shuffles and repeats messages. */
  readonly seed?: number | undefined
  readonly signal?: AbortSignal
  /** The time in which background work must reach the expected state: 30,000 by default. */
  readonly settleMilliseconds?: number
  /** Called after each step. */
  readonly onStep?: (text: string) => void
}

/** A difference between the expected and the found state. */
export type Difference = { readonly place: string; readonly expected: string; readonly found: string }

const defaultSettleMilliseconds = 30_000
const pollMilliseconds = 200

/** Runs a scenario with a new user, and returns the differences from its expected state. */
export async function runScenario(scenario: Scenario, options: ScenarioOptions): Promise<readonly Difference[]> {
  const world = await newWorld(scenario, options)
  const random = options.seed === undefined ? null : randomOf(options.seed)
  for (const { step, eventId } of planSteps(scenario.steps, () => crypto.randomUUID(), random)) {
    world.signal.throwIfAborted()
    const text = await runStep(world, step, eventId, random !== null)
    options.onStep?.(text)
  }
  const until = Date.now() + world.settleMilliseconds
  for (;;) {
    const differences = await compare(world, scenario.expected)
    if (differences.length === 0 || Date.now() > until) return differences
    await delay(pollMilliseconds, undefined, { signal: world.signal })
  }
}

type World = {
  readonly purser: Purser
  readonly signal: AbortSignal
  readonly settleMilliseconds: number
  /** Whether the statement begins with the deposit of the first balance. */
  readonly hasFirstDeposit: boolean
  readonly userId: string
  readonly cardId: string
  readonly token: { readonly address: string; readonly decimals: number }
  depositId: string | null
  withdrawalId: string | null
}

async function newWorld({ balance, steps }: Scenario, options: ScenarioOptions): Promise<World> {
  const { baseUrl, sandboxPassword, settleMilliseconds = defaultSettleMilliseconds } = options
  const signal = options.signal ?? new AbortController().signal
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts')
  const wallet = privateKeyToAccount(generatePrivateKey())
  const session = walletSession(wallet, { domain: 'localhost', uri: 'http://localhost' })
  const auth = [session, simulator(sandboxPassword)]
  const onResponse = requirePurser({ url: baseUrl, variable: 'PURSER_URL' })
  const purser = createPurser({ baseUrl, auth, fetch: fetchUntil(signal), onResponse })
  if (steps.some((step) => 'mint' in step || 'mine' in step || 'reorganize' in step)) await purser.sandbox.chain.get()
  if (steps.some((step) => 'settle' in step) && (await hasChain(purser))) {
    throw new Failure(
      'The scenario sets the outcome of a withdrawal, but the chain of this sandbox decides it. Start the sandbox with CHAIN=simulated.',
    )
  }
  const { userId } = await purser.sandbox.users.create({ address: wallet.address })
  const { cardId } = await purser.cards.create({ cardName: 'Scenario', phone: '+4915123456789' })
  const token = (await purser.sandbox.tokens.list()).data.find(({ currency }) => currency === 'EUR')
  if (token === undefined) throw new Failure('The service has no token in EUR, which scenarios use. Add one to TOKENS.')
  const hasFirstDeposit = parseAmount(balance, 2) > 0n
  const user = { userId, cardId, token, depositId: null, withdrawalId: null }
  const world = { purser, signal, settleMilliseconds, hasFirstDeposit, ...user }
  if (hasFirstDeposit) await deposit(world, balance, 'approved')
  return world
}

async function hasChain(purser: Purser): Promise<boolean> {
  try {
    await purser.sandbox.chain.get()
    return true
  } catch (error) {
    if (error instanceof PurserError && error.code === 'NO_CHAIN') return false
    throw error
  }
}

async function deposit(
  world: World,
  amount: string,
  result: 'approved' | 'rejected' | 'pending',
  more: { final?: boolean } = {},
): Promise<void> {
  const { purser, userId, token } = world
  const body = { userId, token: token.address, amount: String(parseAmount(amount, token.decimals)), result, ...more }
  const { depositId } = await purser.sandbox.deposits.create(body)
  world.depositId = depositId
}

/**
 * Runs one step and describes it. If messages are shuffled and repeated, only the final state counts, not each
 * decision.
 */
async function runStep(world: World, step: Step, eventId: string, isNoisy: boolean): Promise<string> {
  const { purser } = world
  if ('message' in step) return sendMessage(world, step, eventId, isNoisy)
  if ('deposit' in step) {
    await deposit(world, step.deposit.amount, step.deposit.result ?? 'approved')
    return `deposit of ${step.deposit.amount}: ${step.deposit.result ?? 'approved'}`
  }
  if ('screen' in step) {
    await purser.sandbox.deposits.screen(required(world.depositId, 'deposit'), { result: step.screen })
    return `screening: ${step.screen}`
  }
  if ('withdraw' in step) {
    const amount = String(parseAmount(step.withdraw.amount, world.token.decimals))
    const { withdrawalId } = await purser.withdrawals.create({ tokenAddress: world.token.address, amount })
    world.withdrawalId = withdrawalId
    return `withdrawal of ${step.withdraw.amount}`
  }
  if ('settle' in step) {
    // Runs the due work, which sends the withdrawal.
    await purser.sandbox.clock.advance({ advanceSeconds: 0 })
    await purser.sandbox.withdrawals.settle(required(world.withdrawalId, 'withdrawal'), { outcome: step.settle })
    return `withdrawal: ${step.settle}`
  }
  if ('advance' in step) {
    await purser.sandbox.clock.advance({ advanceSeconds: secondsOf(step.advance) })
    return `time: +${step.advance}`
  }
  if ('mint' in step) {
    await deposit(world, step.mint.amount, 'approved', { final: false })
    return `transfer of ${step.mint.amount} on chain`
  }
  if ('mine' in step) {
    await purser.sandbox.chain.mine({ blocks: step.mine })
    return `blocks mined: ${step.mine}`
  }
  await purser.sandbox.chain.reorganize({ blocks: step.reorganize })
  return `blocks replaced: ${step.reorganize}`
}

type MessageStep = Extract<Step, { message: object }>

async function sendMessage(
  { purser, cardId }: World,
  { message, times = 1, status }: MessageStep,
  eventId: string,
  isNoisy: boolean,
): Promise<string> {
  const body = { currency: 'EUR', ...message, card_id: cardId, event_id: eventId }
  const decisions = await Promise.all(Array.from({ length: times }, () => purser.sandbox.transactions.send(body)))
  const [decision] = decisions
  const text = `${message.transaction_type} of ${message.amount ?? 'all'}: ${decision?.status}`
  if (!isNoisy && status !== undefined && decision?.status !== status) {
    throw new Failure(`${text}, but ${status} was expected.`)
  }
  return text
}

function required(id: string | null, name: string): string {
  if (id === null) throw new Failure(`The scenario has no ${name} before this step. Add one.`)
  return id
}

async function compare({ purser, hasFirstDeposit }: World, expected: Expected): Promise<Difference[]> {
  const rows = (await purser.balances.list()).data
  const balances = Object.entries(expected.balances).flatMap(([currency, fields]) => {
    const row = rows.find((each) => each.currency === currency)
    return Object.entries(fields).map(([field, text]) => {
      const value: unknown = Object(row)[field]
      const found = typeof value === 'string' ? shown(value, row?.decimals ?? 0) : 'nothing'
      return { place: `${currency} ${field}`, expected: text, found }
    })
  })
  const items = await purser.statement.list().toArray({ limit: 1000 })
  const ofSteps = items.toReversed().slice(hasFirstDeposit ? 1 : 0)
  const found = ofSteps.map(lineOf).join('; ')
  const statement = { place: 'statement', expected: expected.statement.join('; '), found }
  return [...balances, statement].filter(({ expected, found }) => expected !== found)
}

const shown = (amount: string, decimals: number) =>
  formatAmount({ amount: BigInt(amount), decimals }, { fractionDigits: 2 })

/** Returns an item as a line such as `Payment settled 23.00`. */
function lineOf(item: StatementItem): string {
  const kind = item.type === 'card_transaction' ? item.kind : item.type
  return `${kind} ${item.status} ${shown(item.amount, item.decimals)}`
}
