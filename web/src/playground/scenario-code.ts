import { parseAmount } from '@purser/client'
import { curlOf, type Form, forms, sdkOf } from './code.ts'
import { isPlayable, type Scenario, type Step, secondsOf } from './scenario.ts'

/** Renders a scenario as code that plays its steps for a user with money and a card. */

export type Target = {
  readonly userId: string
  readonly cardId: string
  /** The token in EUR. */
  readonly token: { readonly address: string; readonly decimals: number }
}

/** A request of the simulator. A screening needs the id of the last deposit. */
type Call = { readonly path: string; readonly operation: string; readonly body: object }

const depositId = 'DEPOSIT_ID'
const isDeposit = ({ operation }: Call) => operation === 'deposits.create'

/** Returns the forms that a scenario has. Only the command line reaches the chain itself, or withdraws. */
export function formsOf(scenario: Scenario): readonly Form[] {
  const isSimulated = isPlayable(scenario) && !scenario.steps.some((step) => 'withdraw' in step)
  return isSimulated ? forms : forms.filter((form) => form === 'cli' || form === 'scenario')
}

export function codeOfScenario(form: Form, { id, ...scenario }: Scenario, target: Target): string {
  const calls = () => scenario.steps.map((step) => callOf(step, target))
  switch (form) {
    case 'cli':
      return `purser trigger ${id}`
    case 'scenario':
      return JSON.stringify(scenario, null, 2)
    case 'curl':
      return calls().map(curlOfCall).join('\n\n')
    case 'sdk':
      return sdkOf(calls().map(sdkOfCall))
  }
}

function callOf(step: Step, { userId, cardId, token }: Target): Call {
  if ('message' in step) {
    const { message, times = 1 } = step
    const body = { currency: 'EUR', ...message, card_id: cardId, ...(times > 1 && { fault: { duplicate: times - 1 } }) }
    return { path: '/sandbox/transactions', operation: 'transactions.send', body }
  }
  if ('deposit' in step) {
    const { amount, result = 'approved' } = step.deposit
    const body = { userId, token: token.address, amount: String(parseAmount(amount, token.decimals)), result }
    return { path: '/sandbox/deposits', operation: 'deposits.create', body }
  }
  if ('screen' in step) {
    return {
      path: `/sandbox/deposits/${depositId}/screening`,
      operation: 'deposits.screen',
      body: { result: step.screen },
    }
  }
  if ('advance' in step) {
    const body = { advanceSeconds: secondsOf(step.advance) }
    return { path: '/sandbox/clock', operation: 'clock.advance', body }
  }
  throw new RangeError('the step needs the chain or a wallet')
}

function curlOfCall(call: Call): string {
  const command = curlOf(call.path.replace(depositId, `$${depositId}`), call.body)
  return isDeposit(call) ? `${depositId}=$(${command} | jq -r .depositId)` : command
}

function sdkOfCall(call: Call, index: number, calls: readonly Call[]): string {
  const { operation, body } = call
  const deposit = `deposit${calls.slice(0, index + 1).filter(isDeposit).length}`
  const subject = operation === 'deposits.screen' ? `${deposit}.depositId, ` : ''
  const line = `await purser.sandbox.${operation}(${subject}${JSON.stringify(body, null, 2)})`
  return isDeposit(call) ? `const ${deposit} = ${line}` : line
}
