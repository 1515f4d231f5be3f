import { readFile } from 'node:fs/promises'
import { unwrap, WebhookError } from '../../../client/src/webhooks.ts'
import { type Command, Failure, UsageError } from '../command.ts'

/** Checks signatures without a service. */
export const verifyCommand: Command = {
  name: 'verify webhook',
  summary: 'Checks the signature of a webhook delivery that you have stored',
  detail: 'It needs no service. The age of the delivery does not matter.',
  arguments: [{ name: 'file', description: 'The file with the raw body' }],
  options: [
    { name: 'header', value: 'line', description: 'A header of the delivery: name: value', isRepeatable: true },
    { name: 'key', value: 'key', description: 'A public key of the endpoint (whpk_…)', isRepeatable: true },
  ],
  examples: [
    "verify webhook body.json --key whpk_… --header 'webhook-id: evt_…' --header 'webhook-timestamp: …' --header 'webhook-signature: …'",
  ],
  async run({ out }, given) {
    const keys = given.all('key')
    if (keys.length === 0 || keys.some((key) => !key.startsWith('whpk_'))) {
      throw new UsageError('--key must name a public key of the endpoint (whpk_…).')
    }
    const file = given.text('file')
    const body = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new Failure(`${file} cannot be read (${error.code}).`)
    })
    const headers = new Headers(given.all('header').map(headerOf))
    try {
      const { id, type } = await unwrap(body, headers, keys, { toleranceSeconds: Number.MAX_SAFE_INTEGER })
      out.result({ isValid: true, id, type }, [`valid: ${type} ${id}`], 'green')
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      throw new Failure(`${error.code}: ${error.message}`)
    }
  },
}

function headerOf(line: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`"${line}" is no header. Write it like name: value.`)
  return [name, value]
}
