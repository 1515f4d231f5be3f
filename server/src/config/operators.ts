import { Type } from 'typebox'
import type { Address } from 'viem'
import { getAddress } from 'viem/utils'
import type { Currency } from '../lib/money.ts'
import { group, optional, type ReportProblem, setting } from './setting.ts'

/** The second of Anvil's ten funded accounts: the test operator of a sandbox. Its key is public. */
export const sandboxOperator: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/**
 * Every command of operators, with the number of people who must sign it in production. `two` is for commands that move
 * money, give lasting power or cannot be undone.
 */
export const operatorCommands = {
  'user block': { policy: 'one', hasAmount: false },
  'user unblock': { policy: 'two', hasAmount: false },
  'user erase': { policy: 'two', hasAmount: false },
  'deposits return': { policy: 'two', hasAmount: true },
  'transfers tell': { policy: 'two', hasAmount: true },
  'payouts order': { policy: 'two', hasAmount: true },
  'payouts decide': { policy: 'two', hasAmount: true },
  'payouts cancel': { policy: 'two', hasAmount: true },
  'payouts assign': { policy: 'two', hasAmount: true },
  'reviews done': { policy: 'one', hasAmount: false },
  'webhooks resend': { policy: 'one', hasAmount: false },
  'partner approve': { policy: 'two', hasAmount: false },
  'partner suspend': { policy: 'two', hasAmount: false },
  'partner details': { policy: 'two', hasAmount: false },
  'domain add': { policy: 'two', hasAmount: false },
  'domain remove': { policy: 'two', hasAmount: false },
  'keys rotate': { policy: 'one', hasAmount: false },
  'keys retire': { policy: 'two', hasAmount: false },
  'switch payouts off': { policy: 'one', hasAmount: false },
  'switch payouts on': { policy: 'two', hasAmount: false },
  'switch card-approvals off': { policy: 'one', hasAmount: false },
  'switch card-approvals on': { policy: 'two', hasAmount: false },
  'operator add': { policy: 'two', hasAmount: false },
  'operator change': { policy: 'two', hasAmount: false },
  'operator remove': { policy: 'two', hasAmount: false },
} as const satisfies Readonly<Record<string, { readonly policy: 'one' | 'two'; readonly hasAmount: boolean }>>

export type OperatorCommand = keyof typeof operatorCommands

/**
 * The number of people who must sign. An object maps currencies to amounts in minor units: two people must sign for a
 * larger amount, or for a currency that the object lacks.
 */
export type ApprovalPolicy = 'one' | 'two' | Readonly<Record<Currency, bigint>>

function isOperatorCommand(text: string): text is OperatorCommand {
  return Object.hasOwn(operatorCommands, text)
}

/** Parses policies. Commands without a policy get the default. */
function parsePolicies(
  given: Readonly<Record<string, unknown>>,
  report: ReportProblem,
): ReadonlyMap<string, ApprovalPolicy> {
  const policies = new Map<string, ApprovalPolicy>()
  for (const [command, policy] of Object.entries(given)) {
    if (!isOperatorCommand(command))
      report(`must not name "${command}", which is not a command. See docs/operators.md.`)
    else if (policy === 'one' || policy === 'two') policies.set(command, policy)
    else if (operatorCommands[command].hasAmount && isAmounts(policy)) policies.set(command, amountsIn(policy))
    else report(`must give "${command}" the policy ${allowedPolicies(command)}.`)
  }
  return policies
}

function allowedPolicies(command: OperatorCommand): string {
  return operatorCommands[command].hasAmount ? 'one, two or {"EUR": "100000"} in minor units' : 'one or two'
}

function isAmounts(policy: unknown): policy is Readonly<Record<string, string>> {
  if (typeof policy !== 'object' || policy === null) return false
  return Object.entries(policy).every(
    ([currency, amount]) => /^[A-Z]{3}$/.test(currency) && /^[0-9]{1,30}$/.test(amount),
  )
}

function amountsIn(policy: Readonly<Record<string, string>>): Readonly<Record<Currency, bigint>> {
  return Object.fromEntries(Object.entries(policy).map(([currency, amount]) => [currency, BigInt(amount)]))
}

export const operators = group('Operators', 'The API under `/operator`. See `docs/operators.md`.', {
  operatorApi: setting('OPERATOR_API', {
    schema: Type.Boolean(),
    default: false,
    inSandbox: true,
    about: '`on` serves the API of operators under `/operator`, in every process with the role `api`.',
  }),
  consoleUrl: optional('CONSOLE_URL', {
    schema: Type.String({ format: 'public-url' }),
    shownDefault: '`BASE_URL` in the sandbox; needed in production with `OPERATOR_API`',
    inProduction: {
      requirement: 'a public https URL',
      holds: (url: string | null) => url === null || url.startsWith('https://'),
    },
    convert: (url) => url.replace(/\/+$/, ''),
    about:
      'The public URL of the console, which also serves the API under `/operator`. Operators sign in for its origin alone.',
  }),
  operatorPolicies: setting('OPERATOR_POLICIES', {
    schema: Type.Record(Type.String(), Type.Unknown()),
    default: {},
    shownDefault: 'see `docs/operators.md`; `one` for every command in the sandbox',
    convert: parsePolicies,
    about:
      'JSON object that maps commands to policies: `"one"`, `"two"`, or an object that maps currencies to amounts in minor units. Above such an amount, two people must sign.',
  }),
  /** Null: production, or the default wallet in a sandbox that other machines can reach. */
  testOperator: optional('SANDBOX_OPERATOR', {
    schema: Type.String({ format: 'address' }),
    inSandbox: sandboxOperator,
    shownDefault: 'the second test account of Anvil in the sandbox',
    inProduction: 'unset',
    convert: (text) => getAddress(text),
    about:
      'A wallet that becomes an `admin` when it first signs in. Sandbox only. The private key of the default wallet is public, so this wallet works only while no other machine can reach the sandbox.',
  }),
})
