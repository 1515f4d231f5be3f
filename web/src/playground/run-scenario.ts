import { type BodyOf, formatAmount, PurserError, parseAmount, type StatementItem } from '@purser/client'
import { planSteps, randomOf } from '../../../cli/src/scenarios/plan.ts'
import { randomId } from '../lib/random-id.ts'
import { type Cardholder, forgetTokens } from './people.ts'
import type { Sandbox } from './sandbox.ts'
import { type Scenario, type Step, secondsOf } from './scenario.ts'

export type StepResult = { readonly isExpected: boolean; readonly text: string }

export type ScenarioResult = { readonly isExpected: boolean; readonly differences: readonly string[] }

type Options = {
  /** Reorders the card messages, and sends each of them several times. */
  readonly isNoisy: boolean
  readonly onStep: (step: Step, result: StepResult) => void
}

/** Every run uses the same order, which is also the order of `purser trigger <scenario> --seed 7`. */
const seed = 7

const currency = 'EUR'

const maxSettleMilliseconds = 30_000
const pollMilliseconds = 500

/** Runs a scenario for one cardholder, and compares the end with the expected end of the scenario. */
export async function runScenario(
  sandbox: Sandbox,
  holder: Cardholder,
  scenario: Scenario,
  { isNoisy, onStep }: Options,
): Promise<ScenarioResult> {
  const ids: Ids = { deposit: null, withdrawal: null }
  const random = isNoisy ? randomOf(seed) : null
  for (const { step, eventId } of planSteps(scenario.steps, randomId, random)) {
    onStep(step, await runStep(sandbox, holder, step, ids, { eventId, isNoisy }))
  }
  return settled(holder, scenario)
}

/** Compares until the end is as expected or the time is up, because the chain and the workers need a moment. */
async function settled(holder: Cardholder, scenario: Scenario): Promise<ScenarioResult> {
  for (const until = Date.now() + maxSettleMilliseconds; ; ) {
    const outcome = await compare(holder, scenario)
    if (outcome.isExpected || Date.now() > until) return outcome
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds))
  }
}

type Ids = { deposit: string | null; withdrawal: string | null }

/** How a card message is sent. With noise, only the end counts, not each decision. */
type Sending = { readonly eventId: string; readonly isNoisy: boolean }

async function runStep(
  sandbox: Sandbox,
  holder: Cardholder,
  step: Step,
  ids: Ids,
  sending: Sending,
): Promise<StepResult> {
  const { purser } = sandbox
  if ('message' in step) {
    const text = await sendMessage(sandbox, holder, step, sending)
    return { isExpected: sending.isNoisy || step.status === undefined || step.status === text, text }
  }
  if ('deposit' in step) {
    ids.deposit = await sandbox.deposit(holder.userId, { ...step.deposit, currency })
    return { isExpected: true, text: step.deposit.result ?? 'approved' }
  }
  if ('screen' in step) {
    const { status } = await purser.sandbox.deposits.screen(ids.deposit ?? '', { result: step.screen })
    return { isExpected: true, text: status }
  }
  if ('withdraw' in step) {
    const { data: tokens } = await purser.sandbox.tokens.list()
    const token = tokens.find((each) => each.currency === currency)
    if (token === undefined) throw new RangeError('no token')
    const amount = String(parseAmount(step.withdraw.amount, token.decimals))
    const { withdrawalId } = await holder.purser.withdrawals.create({ tokenAddress: token.address, amount })
    ids.withdrawal = withdrawalId
    return { isExpected: true, text: 'pending' }
  }
  if ('advance' in step) {
    const { now } = await purser.sandbox.clock.advance({ advanceSeconds: secondsOf(step.advance) })
    forgetTokens()
    return { isExpected: true, text: now }
  }
  if ('settle' in step) {
    // Runs the due work, which sends the withdrawal.
    await purser.sandbox.clock.advance({ advanceSeconds: 0 })
    const { status } = await purser.sandbox.withdrawals.settle(ids.withdrawal ?? '', { outcome: step.settle })
    return { isExpected: true, text: status }
  }
  if ('mint' in step) {
    await sandbox.deposit(holder.userId, { ...step.mint, currency, isFinal: false })
    return { isExpected: true, text: 'pending' }
  }
  const { number } =
    'mine' in step
      ? await purser.sandbox.chain.mine({ blocks: step.mine })
      : await purser.sandbox.chain.reorganize({ blocks: step.reorganize })
  return { isExpected: true, text: `#${number}` }
}

async function sendMessage(
  sandbox: Sandbox,
  { cardId }: Cardholder,
  { message, times = 1 }: Extract<Step, { message: object }>,
  { eventId, isNoisy }: Sending,
): Promise<string> {
  const copies = isNoisy ? Math.max(times, 3) : times
  // The service rejects an unknown type, so a scenario needs no second check.
  const body = {
    currency,
    ...message,
    card_id: cardId,
    event_id: eventId,
    ...(copies > 1 && { fault: { duplicate: copies - 1 } }),
  } as BodyOf<'sandbox.transactions.send'>
  try {
    return (await sandbox.purser.sandbox.transactions.send(body)).status
  } catch (error) {
    // For the card network, an HTTP status that rejects the message is a decline.
    if (error instanceof PurserError && error.status !== null && error.status < 500) return 'denied'
    throw error
  }
}

async function compare({ purser }: Cardholder, { expected }: Scenario): Promise<ScenarioResult> {
  const [{ data: rows }, items] = await Promise.all([
    purser.balances.list(),
    purser.statement.list().toArray({ limit: 1_000 }),
  ])
  const differences = Object.entries(expected.balances).flatMap(([code, fields]) => {
    const row = rows.find((each) => each.currency === code)
    const values: Readonly<Record<string, unknown>> = { ...row }
    return Object.entries(fields).flatMap(([field, wanted]) => {
      const found = shown(String(values[field] ?? 0), row?.decimals ?? 0)
      return found === wanted ? [] : [`${code} ${field}: ${found} ≠ ${wanted}`]
    })
  })
  const [found, wanted] = [linesOf(items).join('; '), expected.statement.join('; ')]
  if (found !== wanted) differences.push(`${found} ≠ ${wanted}`)
  return { isExpected: differences.length === 0, differences }
}

const shown = (amount: string, decimals: number) =>
  formatAmount({ amount: BigInt(amount), decimals }, { fractionDigits: 2 })

/** Returns the items as lines such as `Payment settled 23.00`, without the deposit of the beginning. */
function linesOf(items: readonly StatementItem[]): string[] {
  return items
    .toReversed()
    .slice(1)
    .map((item) => {
      const kind = item.type === 'card_transaction' ? item.kind : item.type
      return `${kind} ${item.status} ${shown(item.amount, item.decimals)}`
    })
}
