import { execFile } from 'node:child_process'
import { moneyShellCommands, type ShellCommand } from '../../src/commands/operator-money.ts'
import { bundled } from './bundle.ts'
import { databaseUrl } from './database-url.ts'
import { processEnv } from './process-env.ts'
import type { TestService } from './service.ts'

/** Runs a money command of the operator in this process, which is faster than starting a process for it. */
export async function runMoneyCommand(service: TestService, typed: string, ...given: string[]): Promise<string> {
  const commands: Readonly<Record<string, ShellCommand>> = moneyShellCommands
  const command = commands[typed]
  if (!command) throw new Error(`there is no command "${typed}"`)
  return command(service.as('operator'), ...given)
}

/** Runs `npm run operator -- …` in a new process beside a running service, as the operator Ada. */
export function runOperator(
  { connection }: TestService,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  const DATABASE_URL = databaseUrl(connection)
  return new Promise((resolve) => {
    const options = { env: { ...processEnv, DATABASE_URL, DATABASE_ROLES: 'on', OPERATOR: 'ada', ...env } }
    const child = execFile(process.execPath, [bundled('operator'), ...words], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}
