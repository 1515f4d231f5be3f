import { expect, test } from 'vitest'
import { modeValues } from '../config/mode-values.ts'
import { type OperatorCommand, operatorCommands } from '../config/operators.ts'
import type { Token } from '../config/stablecoins.ts'
import { policyOf, signaturesNeeded } from './rules.ts'

const noPolicies = new Map<string, never>()
const commands = Object.keys(operatorCommands) as OperatorCommand[]

/** Written out, so that no change of the table weakens a command unnoticed. All other commands need two people. */
const ofOnePerson: OperatorCommand[] = [
  'user block',
  'reviews done',
  'webhooks resend',
  'keys rotate',
  'switch payouts off',
  'switch card-approvals off',
]

test('in production, six commands such as user block need one person, and all others need two', () => {
  const config = { ...modeValues.production, operatorPolicies: noPolicies }
  const alone = commands.filter((command) => policyOf(config, command) === 'one')
  expect(alone.toSorted()).toEqual(ofOnePerson.toSorted())
  expect(commands.filter((command) => policyOf(config, command) === 'two')).toHaveLength(commands.length - alone.length)
})

test('in the sandbox, every operator command needs only one person', () => {
  const config = { ...modeValues.sandbox, operatorPolicies: noPolicies }
  expect([...new Set(commands.map((command) => policyOf(config, command)))]).toEqual(['one'])
})

test.each(['sandbox', 'production'] as const)(
  'in %s, the configured policy of an operator command replaces its default',
  (mode) => {
    const operatorPolicies = new Map([
      ['user block', 'two'],
      ['user unblock', 'one'],
    ] as const)
    expect(policyOf({ ...modeValues[mode], operatorPolicies }, 'user block')).toBe('two')
    expect(policyOf({ ...modeValues[mode], operatorPolicies }, 'user unblock')).toBe('one')
  },
)

const address = `0x${'11'.repeat(20)}` as const
const tokens: Token[] = [{ address, symbol: 'EURe', currency: 'EUR', decimals: 18, chainId: 100 }]
const amounts = { EUR: 1000n }

test.each([
  ['an amount equal to the limit needs one person', { token: address, amount: String(10n ** 19n) }, 1],
  ['one token unit above the limit needs two people', { token: address, amount: String(10n ** 19n + 1n) }, 2],
  ['an unknown token needs two people', { token: `0x${'22'.repeat(20)}`, amount: '1' }, 2],
  ['a state without a token needs two people', { amount: '1' }, 2],
])('under a policy by amount, %s', (_title, state, needed) => {
  expect(signaturesNeeded(amounts, state, tokens)).toBe(needed)
})

test('a policy by amount needs two people for a currency that it does not name', () => {
  expect(signaturesNeeded({ USD: 1000n }, { token: address, amount: '1' }, tokens)).toBe(2)
})
