import { PurserError, parseAmount } from '@purser/client'
import { type Cardholder, forgetTokens } from './people.ts'
import type { Sandbox } from './sandbox.ts'
import type { Scenario, Step } from './scenario.ts'

export type StepResult = { readonly index: number; readonly isExpected: boolean; readonly text: string }

export type Outcome = { readonly isExpected: boolean; readonly differences: readonly string[] }

type Options = {
  /** Sends each card message three times at once. */
  readonly isDuplicated: boolean
  readonly onStep: (result: StepResult) => void
}

/** Runs a scenario for one cardholder, and compares the end with the one that the scenario states. */
export async function runScenario(
  sandbox: Sandbox,
  holder: Cardholder,
  scenario: Scenario,
  options: Options,
): Promise<Outcome> {
  for (const [index, step] of scenario.steps.entries()) {
    const { isExpected, text } = await runStep(sandbox, holder, scenario, step, options)
    options.onStep({ index, isExpected, text })
  }
  return compare(holder, scenario)
}

async function runStep(
  sandbox: Sandbox,
  holder: Cardholder,
  scenario: Scenario,
  step: Step,
  { isDuplicated }: Options,
) {
  if ('send' in step) {
    const { status, denial_code: code } = await decide(sandbox, holder, step, isDuplicated)
    const isExpected = status === step.expect && (step.code === undefined || step.code === code)
    return { isExpected, text: code === undefined ? status : `${status} ${code}` }
  }
  if ('deposit' in step) {
    await sandbox.deposit(holder.userId, { ...step.deposit, currency: scenario.start.currency })
    return { isExpected: true, text: step.deposit.result ?? 'approved' }
  }
  if ('clock' in step) {
    const { now } = await sandbox.purser.sandbox.clock.advance(step.clock)
    forgetTokens()
    return { isExpected: true, text: now }
  }
  const { status } = await holder.purser.cards[step.card](holder.cardId)
  return { isExpected: true, text: status }
}

type Decision = { readonly status: string; readonly denial_code?: string }

async function decide(
  sandbox: Sandbox,
  holder: Cardholder,
  step: Extract<Step, { send: unknown }>,
  isDuplicated: boolean,
): Promise<Decision> {
  const body = {
    ...step.send,
    card_id: holder.cardId,
    ...(isDuplicated && { fault: { duplicate: 2, ...step.send.fault } }),
  }
  try {
    return await sandbox.purser.sandbox.transactions.send(body)
  } catch (error) {
    // The network learns a rejected message by its status.
    if (error instanceof PurserError && error.status !== null && error.status < 500)
      return { status: 'denied', denial_code: error.code }
    throw error
  }
}

async function compare({ purser, cardId }: Cardholder, { start, end }: Scenario): Promise<Outcome> {
  const [{ data: balances }, { data: items }] = await Promise.all([
    purser.balances.list(),
    purser.statement.list({ cardId }),
  ])
  const balance = balances.find(({ currency }) => currency === start.currency)
  const spendable = BigInt(balance?.spendable ?? 0)
  const differences: string[] = []
  const wanted = parseAmount(end.spendable, balance?.decimals ?? 18)
  if (spendable !== wanted) differences.push(`spendable: ${spendable} ≠ ${wanted}`)
  const found = items.flatMap((item) =>
    item.type === 'card_transaction' ? [`${item.kind} ${item.status} ${item.amount}`] : [],
  )
  const stated = end.transactions.map(({ kind, status, amount }) => `${kind} ${status} ${parseAmount(amount, 2)}`)
  if (found.join() !== stated.join()) differences.push(`${found.join(', ')} ≠ ${stated.join(', ')}`)
  return { isExpected: differences.length === 0, differences }
}
