import { type BodyOf, formatAmount, PurserError, parseAmount, type StatementItem } from '@purser/client'
import { type Cardholder, forgetTokens } from './people.ts'
import type { Sandbox } from './sandbox.ts'
import type { Scenario, Step } from './scenario.ts'

export type StepResult = { readonly isExpected: boolean; readonly text: string }

export type Outcome = { readonly isExpected: boolean; readonly differences: readonly string[] }

type Options = {
  /** Sends each card message three times at once. */
  readonly isDuplicated: boolean
  readonly onStep: (result: StepResult) => void
}

const currency = 'EUR'
const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Runs a scenario for one cardholder, and compares the end with the one that the scenario states. */
export async function runScenario(
  sandbox: Sandbox,
  holder: Cardholder,
  scenario: Scenario,
  { isDuplicated, onStep }: Options,
): Promise<Outcome> {
  const ids: Ids = { deposit: null }
  for (const step of scenario.steps) onStep(await runStep(sandbox, holder, step, ids, isDuplicated))
  return compare(holder, scenario)
}

type Ids = { deposit: string | null }

async function runStep(
  sandbox: Sandbox,
  holder: Cardholder,
  step: Step,
  ids: Ids,
  isDuplicated: boolean,
): Promise<StepResult> {
  const { purser } = sandbox
  if ('message' in step) {
    const text = await decide(sandbox, holder, step, isDuplicated)
    return { isExpected: step.status === undefined || step.status === text, text }
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
    await holder.purser.withdrawals.create({ tokenAddress: token.address, amount })
    return { isExpected: true, text: 'pending' }
  }
  if ('advance' in step) {
    const [, count = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(step.advance) ?? []
    const { now } = await purser.sandbox.clock.advance({ advanceSeconds: Number(count) * (secondsOf[unit] ?? 1) })
    forgetTokens()
    return { isExpected: true, text: now }
  }
  throw new RangeError('only the command line runs this step')
}

async function decide(
  sandbox: Sandbox,
  { cardId }: Cardholder,
  { message, times = 1 }: Extract<Step, { message: object }>,
  isDuplicated: boolean,
): Promise<string> {
  const copies = isDuplicated ? Math.max(times, 3) : times
  // The service rejects an unknown type, so a scenario needs no second check.
  const body = {
    currency,
    ...message,
    card_id: cardId,
    ...(copies > 1 && { fault: { duplicate: copies - 1 } }),
  } as BodyOf<'sandbox.transactions.send'>
  try {
    return (await sandbox.purser.sandbox.transactions.send(body)).status
  } catch (error) {
    // The network learns a rejected message by its status.
    if (error instanceof PurserError && error.status !== null && error.status < 500) return 'denied'
    throw error
  }
}

async function compare({ purser }: Cardholder, { expected }: Scenario): Promise<Outcome> {
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
