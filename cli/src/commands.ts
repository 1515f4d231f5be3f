import type { Command } from './command.ts'
import { apiCommand, tokenCommand } from './commands/api.ts'
import { completionCommand } from './commands/completion.ts'
import { configCommands } from './commands/config.ts'
import { eventCommands } from './commands/events.ts'
import { operatorCommands } from './commands/operator.ts'
import { sampleCommands } from './commands/samples.ts'
import { sandboxCommands } from './commands/sandbox.ts'
import { scenarioCommands } from './commands/scenarios.ts'
import { serviceCommands } from './commands/service.ts'
import { verifyCommands } from './commands/verify.ts'
import { webhookCommands } from './commands/webhooks.ts'
import { operatorGroups } from './operator-texts.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  apiCommand,
  tokenCommand,
  ...sandboxCommands,
  ...scenarioCommands,
  ...eventCommands,
  ...webhookCommands,
  ...operatorCommands,
  ...serviceCommands,
  ...verifyCommands,
  ...sampleCommands,
  ...configCommands,
  completionCommand(() => commands),
]

/** The summaries of the words before a command. */
export const groupSummaries: Readonly<Record<string, string>> = {
  ...operatorGroups,
  backup: 'Checks backups',
  samples: 'Writes sample apps',
  decisions: 'Checks decisions of operators without a service',
  config: 'Shows and changes your settings',
  events: "Reads and resends a partner's events",
  webhooks: "Shows a partner's webhook endpoints, and resends deliveries",
  scenario: 'Runs scenarios against a sandbox',
  verify: 'Checks signatures without a service',
  sandbox: 'Simulates the outside world of a sandbox',
}
