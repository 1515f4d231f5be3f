import type { BodyOf } from '@purser/client'
import type { Form } from './copy-as.tsx'
import { scenarioOf } from './message-scenario.ts'

/** Renders requests of the simulator as code. */

export type Message = BodyOf<'sandbox.transactions.send'>

export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curlOf = (path: string, body: object, credential = '-u simulator:sandbox'): string =>
  `curl ${credential} ${location.origin}${path} \\\n  -H 'content-type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`

/** Renders the calls after the lines that create `purser`. `ownerKey` is the key of a test wallet, as a literal. */
export const sdkOf = (calls: readonly string[], ownerKey: string | null = null): string =>
  (ownerKey === null
    ? [
        "import { createPurser, simulator } from '@purser/client'",
        '',
        `const purser = createPurser({ baseUrl: '${location.origin}', auth: simulator() })`,
        ...calls,
      ]
    : [
        "import { createPurser, simulator, walletSession } from '@purser/client'",
        "import { privateKeyToAccount } from 'viem/accounts'",
        '',
        `const owner = privateKeyToAccount(${ownerKey})`,
        `const session = walletSession(owner, { domain: '${location.host}', uri: '${location.origin}' })`,
        `const purser = createPurser({ baseUrl: '${location.origin}', auth: [session, simulator()] })`,
        ...calls,
      ]
  ).join('\n')

/** Renders a card message as the code that sends it. */
export function codeOfMessage(form: Form, message: Message): string {
  switch (form) {
    case 'curl':
      return curlOf('/sandbox/transactions', message)
    case 'sdk':
      return sdkOf([`await purser.sandbox.transactions.send(${JSON.stringify(message, null, 2)})`])
    case 'cli':
      return `purser api POST /sandbox/transactions --data ${quoted(JSON.stringify(message))}`
    case 'scenario':
      return JSON.stringify(scenarioOf(message), null, 2)
  }
}
