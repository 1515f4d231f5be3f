import type { BodyOf } from '@purser/client'

/** Renders a card message as the code that sends it. */

export type Message = BodyOf<'sandbox.transactions.send'>
export const forms = ['curl', 'sdk', 'cli', 'scenario'] as const
export type Form = (typeof forms)[number]

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export function copyAs(form: Form, message: Message, isApproved: boolean): string {
  const json = JSON.stringify(message)
  switch (form) {
    case 'curl':
      return `curl -u simulator:sandbox ${location.origin}/sandbox/transactions \\\n  -H 'content-type: application/json' \\\n  -d ${quoted(json)}`
    case 'sdk':
      return [
        "import { createPurser, simulator } from '@purser/client'",
        '',
        `const purser = createPurser({ baseUrl: '${location.origin}', auth: simulator() })`,
        `await purser.sandbox.transactions.send(${JSON.stringify(message, null, 2)})`,
      ].join('\n')
    case 'cli':
      return `purser api POST /sandbox/transactions --data ${quoted(json)}`
    case 'scenario': {
      const { card_id: _card, fault: _fault, event_id: _event, ...own } = message
      return JSON.stringify({ message: own, status: isApproved ? 'approved' : 'denied' }, null, 2)
    }
  }
}
