import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseScenario, type Step } from '../../cli/src/scenarios/scenario.ts'
import { errorCodes } from '../../client/src/error-codes.ts'
import { responseCodes } from '../../server/src/cards/gateway/rules.ts'
import { declineMessages } from '../../server/src/cards/transactions/rules.ts'
import { type EventType, eventTypes } from '../../server/src/events/rules.ts'
import { refusals } from '../../server/src/lib/errors.ts'
import { exampleOf } from '../../server/src/webhooks/event-examples.ts'
import { envelope } from '../../server/src/webhooks/rules.ts'
import { declineTexts } from './declines.ts'
import { document, errorCodesOf, type Operation, operations, referenceOf, resolveSchema, typeOf } from './openapi.ts'
import { type Page, root, type SectionName } from './source.ts'

/**
 * One page per error code, decline code and webhook event, from tables in the code, and one per recipe, from its
 * scenario file. Links in these pages are addresses below /docs/.
 */
export const pageOfError = (code: string): string => `errors/${code}/`
const pageOfDecline = (code: string): string => `declines/${code}/`
export const pageOfEvent = (type: string): string => `events/${type}/`
const pageOfRecipe = (name: string) => `recipes/${name}/`

export function catalog(): Page[] {
  return [
    ...errorPages(),
    generated('declines/', declineIndex(), 'Reference', true),
    ...Object.keys(declineTexts).map((code) => generated(pageOfDecline(code), declinePage(code), 'Reference')),
    generated('events/', eventIndex(), 'Reference', true),
    ...eventTypes.map((type) => generated(pageOfEvent(type), eventPage(type), 'Reference')),
    generated('recipes/', recipeIndex(), 'Guides', true),
    ...recipes.map((recipe) => generated(pageOfRecipe(recipe.name), recipePage(recipe), 'Guides')),
  ]
}

function generated(path: string, markdown: string, section: SectionName, isListed = false): Page {
  return { path, source: null, markdown, section, isListed }
}

// Errors

type ErrorEntry = { readonly status: number | null; readonly message: string }

/** Codes without a row in the table of refusals. */
const otherErrors: Readonly<Record<string, ErrorEntry>> = {
  VALIDATION: {
    status: 400,
    message: 'The request does not match its schema. The message names the field and the allowed values.',
  },
  UPSTREAM_FAILURE: {
    status: 502,
    message: 'An external service failed or timed out. Send the same request again with the same idempotency key.',
  },
  INTERNAL_ERROR: { status: 500, message: 'An error occurred in Purser. Report the X-Request-Id of the response.' },
  CONNECTION_FAILED: {
    status: null,
    message:
      'No complete response arrived. The client package reports this code. The outcome of the request is unknown. Send the same request again with the same idempotency key.',
  },
  TIMEOUT: {
    status: null,
    message:
      'No response arrived in time. The client package reports this code. The outcome of the request is unknown. Send the same request again with the same idempotency key.',
  },
  UNKNOWN: {
    status: null,
    message:
      'The client package does not know the code of the response. The service may be newer than the package. Update the package.',
  },
}

const errors: Readonly<Record<string, ErrorEntry>> = {
  ...Object.fromEntries(Object.entries(refusals).map(([code, [status, message]]) => [code, { status, message }])),
  ...otherErrors,
}

/** The action of a client, by the status. */
const actions: Readonly<Record<number, string>> = {
  400: 'Correct the request. A repetition of the same request fails again.',
  401: 'Follow the sentence above: sign in again, or send the credential or signature that it names.',
  403: 'Follow the sentence above. A repetition of the same request fails again.',
  404: 'Follow the sentence above. A resource of another user gets the same response as a missing one.',
  405: 'Use a method that the `Allow` header lists.',
  409: 'Follow the sentence above, or read the current state and decide. The request conflicts with it.',
  413: 'Send a smaller body.',
  415: 'Send JSON with `Content-Type: application/json`.',
  422: 'Show the reason to the person, or change the state that the reason names. The same request fails until that state changes.',
  429: 'Wait for the seconds in `Retry-After`, then send the request again.',
  500: 'Send the request again with the same idempotency key. If it fails again, report the `X-Request-Id`.',
  502: 'Send the request again with the same idempotency key. The client package does this by itself.',
  503: 'Wait for the seconds in `Retry-After`, then send the request again with the same idempotency key.',
}

function errorPages(): Page[] {
  const missing = errorCodes.split(' ').filter((code) => errors[code] === undefined)
  if (missing.length > 0) throw new Error(`error codes without a page: ${missing.join(', ')}`)
  return Object.entries(errors).map(([code, entry]) =>
    generated(pageOfError(code), errorPage(code, entry), 'Reference'),
  )
}

function errorPage(code: string, { status, message }: ErrorEntry): string {
  const users = operations.filter((operation) => errorCodesOf(operation).includes(code))
  const isCommon = users.length > 40
  return `# ${code}

${inMarkdown(message)}

${status === null ? 'The client package creates this error. No response contains its code.' : `HTTP status: **${status}**`}

${
  status === null
    ? ''
    : `## Remedy

${actions[status] ?? 'Read the message.'}

The header \`X-Error-Code\` of the response contains \`${code}\`. ${
        code === 'VALIDATION'
          ? 'On most paths, the body has the `kind` `validation` instead of a code'
          : 'The body depends on the operation'
      }: see [Errors](errors/).
`
}
${users.length === 0 ? '' : `## Operations\n\n${isCommon ? 'Most operations can return this code.' : operationTable(users)}\n`}
`
}

function operationTable(operations: readonly Operation[]): string {
  const rows = operations.map(
    (operation) => `| [\`${operation.method} ${operation.path}\`](${referenceOf(operation)}) | ${operation.summary} |`,
  )
  return `| Operation | Purpose |\n|---|---|\n${rows.join('\n')}`
}

/** Escapes the characters of a plain sentence that Markdown would interpret. */
const inMarkdown = (text: string) => text.replaceAll(/[<>*_]/g, '\\$&')

// Declines

const declineReasons: Readonly<Record<string, string>> = { ...declineMessages, PFT: 'Denied by anti-fraud' }

function declineIndex(): string {
  const rows = Object.entries(responseCodes).map(
    ([code, response]) => `| [\`${code}\`](${pageOfDecline(code)}) | ${declineReasons[code]} | \`${response}\` |`,
  )
  return `# Decline codes

A declined authorization is a 200 with a decline code, not an error. The statement shows the code in \`declineReason\`, and the event
\`card.transaction.declined\` contains the statement item. [The issuer gateway](issuer-gateway/) has the order of the checks.

| Code | Reason | Response code (ISO 8583, field 39) |
|---|---|---|
${rows.join('\n')}
`
}

function declinePage(code: string): string {
  const { cause, advice } = declineTexts[code as keyof typeof declineTexts]
  const response = responseCodes[code as keyof typeof responseCodes]
  return `# Decline ${code}: ${declineReasons[code]}

${cause}

## Remedy

${advice}

## How it arrives

The statement and the webhook report declines of authorizations and single messages for known cards only.

| Receiver | Field |
|---|---|
| Card processor | \`declineCode\` is \`${code}\`, \`responseCode\` is \`${response}\` |
| Statement | \`declineReason\` is \`{"code": "${code}", "message": "${declineReasons[code]}"}\`, \`status\` is \`declined\` |
| Webhook | \`card.transaction.declined\` contains the statement item |
| Simulator | \`denial_code\` is \`${code}\` |
`
}

// Events

const schemaOfEvent = new Map(
  Object.entries(document.webhooks).flatMap(([name, { post }]) => {
    const schema = resolveSchema({ $ref: name })
    const { enum: types = [] } = resolveSchema(schema.properties?.['type'] ?? {})
    return eventTypes.filter((type) => types.includes(type)).map((type) => [type, { post, schema }] as const)
  }),
)

function eventOf(type: string) {
  const found = schemaOfEvent.get(type as (typeof eventTypes)[number])
  if (found === undefined) throw new Error(`the OpenAPI document does not describe ${type}`)
  return found
}

function eventIndex(): string {
  const rows = eventTypes.map((type) => `| [\`${type}\`](${pageOfEvent(type)}) | ${eventOf(type).post.summary} |`)
  return `# Webhook events

[Webhooks](webhooks/) explains how to receive, verify and process events.

| Type | Sent when |
|---|---|
${rows.join('\n')}
`
}

function eventPage(type: EventType): string {
  const { post, schema } = eventOf(type)
  const data = resolveSchema(schema.properties?.['data'] ?? {})
  const rows = Object.entries(data.properties ?? {}).map(([name, part]) => {
    const { description = '' } = resolveSchema(part)
    return `| \`${name}\` | ${typeOf(part)} | ${description.replaceAll('\n', ' ')} |`
  })
  return `# ${type}

${post.summary}. ${post.description ?? ''}

## Payload

\`\`\`json
${JSON.stringify(exampleEvent(type), null, 2)}
\`\`\`

| Field of \`data\` | Type | Meaning |
|---|---|---|
${rows.join('\n')}

## Test it

\`POST /partner/webhooks/{endpointId}/test\` with \`{"type": "${type}"}\` sends an invented event of this type to one of your
endpoints. [Webhooks](webhooks/#test-an-endpoint) explains test events.
`
}

/** Returns the event that an endpoint gets as a test, without the field that marks it as one. */
function exampleEvent(type: EventType): unknown {
  const eventId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
  const createdAt = new Date('2026-01-31T09:30:00Z')
  return JSON.parse(envelope({ eventId, type, createdAt, fields: JSON.stringify(exampleOf(type)), of: null }))
}

// Recipes

const folder = join(root, 'cli/scenarios')
const recipes = readdirSync(folder)
  .sort()
  .map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return { name: file.replace('.json', ''), text, scenario: parseScenario(text) }
  })

function recipeIndex(): string {
  const rows = recipes.map(
    ({ name, scenario }) => `| [${scenario.title}](${pageOfRecipe(name)}) | ${scenario.description} |`,
  )
  return `# Recipes

Each recipe is a scenario: a user with money and a card, simulated steps, and the balances and statement that are expected at the end.
The playground and the [command line](cli/) run them against a sandbox. \`purser scenario run\` also runs your own files.

| Recipe | Story |
|---|---|
${rows.join('\n')}
`
}

function recipePage({ name, text, scenario }: (typeof recipes)[number]): string {
  const { title, description, balance, steps, expected } = scenario
  const balances = Object.entries(expected.balances).flatMap(([currency, fields]) =>
    Object.entries(fields).map(([field, amount]) => `| ${currency}, \`${field}\` | ${amount} |`),
  )
  return `# ${title}

${description}

## Steps

The user begins with ${balance} EUR and one card.

${steps.map((step, index) => `${index + 1}. ${inWords(step)}`).join('\n')}

## End

| Balance | Amount |
|---|---|
${balances.join('\n')}

The statement then has, from the oldest item to the newest:

${expected.statement.map((item) => `- ${item}`).join('\n')}

## Run it

\`\`\`sh
purser trigger ${name}
purser trigger ${name} --seed 7
\`\`\`

With \`--seed\`, messages are shuffled and repeated, and the end must stay the same. This is the file:

\`\`\`json
${text.trim()}
\`\`\`
`
}

function inWords(step: Step): string {
  if ('message' in step) {
    const { transaction_type: type, amount, currency = 'EUR', replacement_amount: rest, final } = step.message
    const money = amount === undefined ? '' : ` of ${amount} ${currency}`
    const times = step.times === undefined ? '' : `, ${step.times} times at once`
    const details = [rest === undefined ? '' : ` that leaves ${rest}`, final === false ? ', with more to follow' : '']
    const decision = step.status === undefined ? '' : ` It is ${step.status === 'denied' ? 'declined' : 'approved'}.`
    return `The card network sends ${article(type)} **${type.replaceAll('_', ' ')}**${money}${details.join('')}${times}.${decision}`
  }
  if ('deposit' in step) {
    const { amount, result = 'approved' } = step.deposit
    return `A **deposit** of ${amount} arrives. Screening: ${result}.`
  }
  if ('screen' in step) return `A later **screening** of the last deposit: ${step.screen}.`
  if ('withdraw' in step) return `The user requests a **withdrawal** of ${step.withdraw.amount}.`
  if ('settle' in step) return `The **payout** ${step.settle === 'failed' ? 'fails' : 'completes'}.`
  if ('advance' in step) return `**Time** passes: ${step.advance}.`
  if ('mint' in step) return `A transfer of ${step.mint.amount} arrives **on chain**.`
  if ('mine' in step) return `The chain mines ${step.mine} empty blocks.`
  return `A **reorganization** replaces the newest ${step.reorganize} blocks.`
}

const article = (word: string) => (/^[aeiou]/.test(word) ? 'an' : 'a')
