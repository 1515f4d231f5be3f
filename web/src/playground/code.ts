import type { BodyOf } from '@purser/client'
import type { Form } from './copy-as.tsx'
import { scenarioOf } from './message-scenario.ts'

/** Renders requests of the simulator as code. */

export type Message = BodyOf<'sandbox.transactions.send'>

export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Whether the sandbox has a password other than the default one. The code reads it from the environment. */
export type Access = { readonly hasOwnPassword: boolean }

const defaultUrl = 'http://localhost:8080'

/** Renders the settings before a command of the command line, if they are not the default ones. */
export const cliOf = (command: string, { hasOwnPassword }: Access): string =>
  [
    ...(location.origin === defaultUrl ? [] : [`PURSER_URL=${location.origin}`]),
    ...(hasOwnPassword ? ['PURSER_SANDBOX_PASSWORD="$SANDBOX_PASSWORD"'] : []),
    command,
  ].join(' ')

export const simulatorCredential = ({ hasOwnPassword }: Access): string =>
  hasOwnPassword ? '-u "simulator:$SANDBOX_PASSWORD"' : '-u simulator:sandbox'

export const curlOf = (path: string, body: object, credential: string): string =>
  `curl ${credential} ${location.origin}${path} \\\n  -H 'content-type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`

/** Renders the calls after the lines that create `purser`. `ownerKey` is the key of a test wallet, as a literal. */
export function sdkOf(calls: readonly string[], access: Access, ownerKey: string | null = null): string {
  const simulator = access.hasOwnPassword ? 'simulator(process.env.SANDBOX_PASSWORD)' : 'simulator()'
  const lines =
    ownerKey === null
      ? [
          "import { createPurser, simulator } from '@purser/client'",
          '',
          `const purser = createPurser({ baseUrl: '${location.origin}', auth: ${simulator} })`,
          ...calls,
        ]
      : [
          "import { createPurser, simulator, walletSession } from '@purser/client'",
          "import { privateKeyToAccount } from 'viem/accounts'",
          '',
          `const owner = privateKeyToAccount(${ownerKey})`,
          `const session = walletSession(owner, { domain: '${location.host}', uri: '${location.origin}' })`,
          `const purser = createPurser({ baseUrl: '${location.origin}', auth: [session, ${simulator}] })`,
          ...calls,
        ]
  return lines.join('\n')
}

/** Renders a card message as the code that sends it. */
export function codeOfMessage(form: Form, message: Message, access: Access): string {
  switch (form) {
    case 'curl':
      return curlOf('/sandbox/transactions', message, simulatorCredential(access))
    case 'sdk':
      return sdkOf([`await purser.sandbox.transactions.send(${JSON.stringify(message, null, 2)})`], access)
    case 'cli':
      return cliOf(`purser api POST /sandbox/transactions --data ${quoted(JSON.stringify(message))}`, access)
    case 'scenario':
      return JSON.stringify(scenarioOf(message), null, 2)
  }
}
