import { parseAmount } from '@purser/client'
import { type Access, cliOf, curlOf, quoted, sdkOf, simulatorCredential } from './code.ts'
import type { Form } from './copy-as.tsx'
import { type Scenario, type Step, secondsOf } from './scenario.ts'

/** Renders a scenario as code that plays its steps for a user with money and a card. */

export type Target = {
  readonly userId: string
  readonly cardId: string
  /** The token in EUR. */
  readonly token: { readonly address: string; readonly decimals: number }
  /** The private key of the test wallet that owns the user; null: another wallet owns the user. */
  readonly walletKey: string | null
}

/** Something that a call creates, and whose id later calls need. */
type Thing = 'deposit' | 'withdrawal'

type Call = {
  readonly path: string
  readonly operation: string
  readonly body: object
  readonly creates?: Thing
  /** The call needs the id of the newest one. */
  readonly about?: Thing
  /** The call needs the access token of the owner, not the password of the simulator. */
  readonly isOwners?: boolean
}

export function codeOfScenario(form: Form, { id, ...scenario }: Scenario, target: Target, access: Access): string {
  const calls = () => scenario.steps.flatMap((step) => callsOf(step, target))
  switch (form) {
    case 'cli':
      return cliOf(`purser trigger ${id}`, access)
    case 'scenario':
      return JSON.stringify(scenario, null, 2)
    case 'curl':
      return curlOfCalls(calls(), target, access)
    case 'sdk':
      return sdkOfCalls(calls(), target, access)
  }
}

function callsOf(step: Step, { userId, cardId, token }: Target): readonly Call[] {
  const units = (amount: string) => String(parseAmount(amount, token.decimals))
  const clock = (advanceSeconds: number): Call => ({
    path: '/sandbox/clock',
    operation: 'sandbox.clock.advance',
    body: { advanceSeconds },
  })
  const deposit = (amount: string, more: object): Call => ({
    path: '/sandbox/deposits',
    operation: 'sandbox.deposits.create',
    body: { userId, token: token.address, amount: units(amount), ...more },
    creates: 'deposit',
  })
  if ('message' in step) {
    const { message, times = 1 } = step
    const body = { currency: 'EUR', ...message, card_id: cardId, ...(times > 1 && { fault: { duplicate: times - 1 } }) }
    return [{ path: '/sandbox/transactions', operation: 'sandbox.transactions.send', body }]
  }
  if ('deposit' in step) return [deposit(step.deposit.amount, { result: step.deposit.result ?? 'approved' })]
  if ('mint' in step) return [deposit(step.mint.amount, { final: false })]
  if ('screen' in step) {
    const path = `/sandbox/deposits/$${variables.deposit}/screening`
    return [{ path, operation: 'sandbox.deposits.screen', body: { result: step.screen }, about: 'deposit' }]
  }
  if ('withdraw' in step) {
    const body = { tokenAddress: token.address, amount: units(step.withdraw.amount) }
    return [{ path: '/user/withdrawal', operation: 'withdrawals.create', body, creates: 'withdrawal', isOwners: true }]
  }
  if ('settle' in step) {
    const path = `/sandbox/withdrawals/$${variables.withdrawal}`
    const body = { outcome: step.settle }
    // The clock runs the due work, which sends the withdrawal.
    return [clock(0), { path, operation: 'sandbox.withdrawals.settle', body, about: 'withdrawal' }]
  }
  if ('advance' in step) return [clock(secondsOf(step.advance))]
  if ('mine' in step)
    return [{ path: '/sandbox/chain/blocks', operation: 'sandbox.chain.mine', body: { blocks: step.mine } }]
  const body = { blocks: step.reorganize }
  return [{ path: '/sandbox/chain/reorganizations', operation: 'sandbox.chain.reorganize', body }]
}

const variables: Readonly<Record<Thing, string>> = { deposit: 'DEPOSIT_ID', withdrawal: 'WITHDRAWAL_ID' }
const keyOf = ({ walletKey }: Target) => walletKey ?? 'PRIVATE_KEY_OF_THE_OWNER'
const owners = (calls: readonly Call[]) => calls.some(({ isOwners }) => isOwners)

function curlOfCalls(calls: readonly Call[], target: Target, access: Access): string {
  const commands = calls.map(({ path, body, creates, isOwners }) => {
    const command = curlOf(path, body, isOwners ? '-H "authorization: Bearer $TOKEN"' : simulatorCredential(access))
    return creates === undefined ? command : `${variables[creates]}=$(${command} | jq -r .${creates}Id)`
  })
  const settings = `PURSER_URL=${location.origin} PURSER_WALLET_KEY=${keyOf(target)}`
  return [...(owners(calls) ? [`TOKEN=$(${settings} purser token)`] : []), ...commands].join('\n\n')
}

function sdkOfCalls(calls: readonly Call[], target: Target, access: Access): string {
  const counts: Record<Thing, number> = { deposit: 0, withdrawal: 0 }
  const lines = calls.map(({ operation, body, creates, about }) => {
    const subject = about === undefined ? '' : `${about}${counts[about]}.${about}Id, `
    const line = `await purser.${operation}(${subject}${JSON.stringify(body, null, 2)})`
    if (creates === undefined) return line
    counts[creates]++
    return `const ${creates}${counts[creates]} = ${line}`
  })
  return sdkOf(lines, access, owners(calls) ? quoted(keyOf(target)) : null)
}
