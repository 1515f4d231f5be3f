import type { Command } from './command.ts'
import { apiCommand } from './commands/api.ts'
import { completionCommand } from './commands/completion.ts'
import { configCommands } from './commands/config.ts'
import { sandboxCommands } from './commands/sandbox.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  apiCommand,
  ...sandboxCommands,
  ...configCommands,
  completionCommand(() => commands),
]

/** The summaries of the words before a command. */
export const groupSummaries: Readonly<Record<string, string>> = {
  config: 'Shows and changes your settings',
  sandbox: 'Simulates the outside world of a sandbox',
}
