import type { OperatorCommand } from '../config/operators.ts'
import { InvalidInput } from '../lib/errors.ts'
import type { Command } from './command.ts'
import { accessCommands } from './commands-access.ts'
import { moneyCommands } from './commands-money.ts'
import { peopleCommands } from './commands-people.ts'

/**
 * Every command of operators, for the API and for the shell. For a signed decision, one transaction describes the state
 * of the subject and makes the change. `describeState` takes the lock under which the change is made, so the signed
 * state still holds when the change is made.
 */
export const commands: Readonly<Record<OperatorCommand, Command>> = {
  ...moneyCommands,
  ...peopleCommands,
  ...accessCommands,
}

/** Returns the command with its arguments, as operators sign it: `payouts decide paid`. */
export function wordsOf(name: OperatorCommand, given: Readonly<Record<string, string>>): string {
  return [name, ...Object.keys(commands[name].arguments).map((argument) => given[argument] ?? '')].join(' ')
}

/** Rejects arguments that are missing, unknown or malformed. */
export function checkArguments(name: OperatorCommand, given: Readonly<Record<string, string>>): void {
  const rules = commands[name].arguments
  for (const [argument, { pattern, requirement }] of Object.entries(rules)) {
    if (!pattern.test(given[argument] ?? '')) throw new InvalidInput(`${argument} must be ${requirement}.`)
  }
  const unknown = Object.keys(given).find((argument) => !Object.hasOwn(rules, argument))
  if (unknown !== undefined) throw new InvalidInput(`"${name}" has no argument ${unknown}.`)
}
