import type { BodyOf } from '@purser/client'

/** Renders requests of the simulator as code. */

export type Message = BodyOf<'sandbox.transactions.send'>
export const forms = ['curl', 'sdk', 'cli', 'scenario'] as const
export type Form = (typeof forms)[number]

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curlOf = (path: string, body: object): string =>
  `curl -u simulator:sandbox ${location.origin}${path} \\\n  -H 'content-type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`

/** The lines that create `purser`, before the calls. */
export const sdkOf = (calls: readonly string[]): string =>
  [
    "import { createPurser, simulator } from '@purser/client'",
    '',
    `const purser = createPurser({ baseUrl: '${location.origin}', auth: simulator() })`,
    ...calls,
  ].join('\n')

/** Renders a card message as the code that sends it. */
export function codeOfMessage(form: Form, message: Message, isApproved: boolean): string {
  switch (form) {
    case 'curl':
      return curlOf('/sandbox/transactions', message)
    case 'sdk':
      return sdkOf([`await purser.sandbox.transactions.send(${JSON.stringify(message, null, 2)})`])
    case 'cli':
      return `purser api POST /sandbox/transactions --data ${quoted(JSON.stringify(message))}`
    case 'scenario': {
      const { card_id: _card, fault: _fault, event_id: _event, ...own } = message
      return JSON.stringify({ message: own, status: isApproved ? 'approved' : 'denied' }, null, 2)
    }
  }
}
