import { setTimeout as delay } from 'node:timers/promises'
import { type BodyOf, type Event, type Purser, PurserError } from '../../../client/src/index.ts'
import { newTestSecret, signForTest } from '../../../client/src/webhooks.ts'
import { type Command, type Given, UsageError } from '../command.ts'
import { type Context, partnerClient } from '../context.ts'

/** The commands about a partner's events. They read the event log, so they need no public address. */
const after = { name: 'after', value: 'id', description: 'Begins after this event' }
const type = {
  name: 'type',
  value: 'type',
  description: 'Only this type, or all types of a resource: deposit.*',
  isRepeatable: true,
}
const pollMilliseconds = 1000
const pageSize = 500
const maxRead = 100
const forwardMilliseconds = 15_000

export const eventCommands: readonly Command[] = [
  {
    name: 'listen',
    summary: "Forwards the partner's new events to a server on your machine",
    detail:
      'It reads the event log, so no tunnel is needed. It prints a new secret first, and signs every event with it. Each event is sent once. The event log begins with the first webhook endpoint of the partner.',
    options: [{ name: 'forward-to', value: 'url', description: 'The URL of your server. Required' }, type, after],
    isEndless: true,
    examples: ['listen --forward-to localhost:3000/hook'],
    run: listen,
  },
  {
    name: 'events list',
    summary: "Lists the partner's events of the last 30 days, oldest first",
    options: [
      { name: 'limit', value: 'number', description: 'The maximum number of events, by default 100' },
      type,
      after,
    ],
    async run(context, given) {
      const limit = given.integer('limit', { min: 1, max: 100_000 }) ?? 100
      const purser = await partnerClient(context)
      const events: Event[] = []
      for await (const event of purser.partner.events.list({ limit: pageSize, ...queryOf(given) })) {
        if (isWanted(event, given)) events.push(event)
        if (events.length >= limit) break
        context.out.working(`${events.length} read`)
      }
      context.out.table(events, events.map(columnsOf))
    },
  },
  {
    name: 'events tail',
    summary: "Prints the partner's events as they happen",
    options: [type, after],
    isEndless: true,
    async run(context, given) {
      const purser = await partnerClient(context)
      for await (const event of newEvents(context, purser, given)) context.out.table(event, [columnsOf(event)])
    },
  },
  {
    name: 'events get',
    summary: 'Shows an event and its deliveries',
    arguments: [{ name: 'event', description: 'The id of the event' }],
    async run(context, given) {
      const purser = await partnerClient(context)
      context.out.result(await purser.partner.events.get(given.id('event')))
    },
  },
  {
    name: 'events resend',
    summary: 'Sends an event again to the endpoints that subscribe to it',
    arguments: [{ name: 'event', description: 'The id of the event' }],
    options: [{ name: 'endpoint', value: 'id', description: 'Only this endpoint' }],
    async run(context, given) {
      const purser = await partnerClient(context)
      const endpointId = given.optional('endpoint')
      const body: BodyOf<'partner.events.resend'> = endpointId === undefined ? {} : { endpointId }
      const resent = await purser.partner.events.resend(given.id('event'), body)
      context.out.result(resent, [`Deliveries now due: ${resent.deliveries}`])
    },
  },
]

const queryOf = (given: Given) => {
  const id = given.optional('after')
  return id === undefined ? {} : { after: id }
}

const columnsOf = ({ createdAt, id, type: name }: Event) => [createdAt, id, name]

function isWanted({ type: name }: Event, given: Given): boolean {
  const wanted = given.all('type')
  const matches = (each: string) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each)
  return wanted.length === 0 || wanted.some(matches)
}

/** Returns the events that happen from now on, or after the given one, until the signal aborts. */
async function* newEvents({ out, signal }: Context, purser: Purser, given: Given): AsyncGenerator<Event> {
  const first = given.optional('after')
  const found = first === undefined ? await newestEvents(purser) : []
  /** The last events that were read, the newest one last. The next page follows the newest one that still exists. */
  const read = first === undefined ? found.map(({ id }) => id) : [first]
  let newestAt = found.at(-1)?.createdAt ?? null
  out.working('Waiting for events')
  for (;;) {
    const [last, readUntil] = [read.at(-1), newestAt]
    const query = { limit: pageSize, ...(last === undefined ? {} : { after: last }) }
    try {
      for await (const event of purser.partner.events.list(query, { signal })) {
        // All events that were read have been deleted, so the page begins with the oldest event.
        if (last === undefined && readUntil !== null && event.createdAt < readUntil) continue
        newestAt = event.createdAt
        read.push(event.id)
        if (read.length > maxRead) read.shift()
        if (isWanted(event, given)) yield event
      }
    } catch (error) {
      const isDeleted = error instanceof PurserError && error.code === 'EVENT_NOT_FOUND'
      // A wrong id must cause an error. It must not start again with the whole log.
      if (!isDeleted || newestAt === null) throw error
      read.pop()
      continue
    }
    await delay(pollMilliseconds, undefined, { signal })
  }
}

async function newestEvents(purser: Purser): Promise<Event[]> {
  const { data } = await purser.partner.events.list({ order: 'newest', limit: maxRead })
  return data.toReversed()
}

async function listen(context: Context, given: Given): Promise<void> {
  const { out, signal } = context
  const url = urlOf(given.optional('forward-to'))
  const secret = newTestSecret()
  const purser = await partnerClient(context)
  out.note(`Events are forwarded to ${url}. Your server verifies them with the secret ${secret}`)
  for await (const event of newEvents(context, purser, given)) {
    const startedAt = performance.now()
    const { body, headers } = await signForTest(event, secret)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(forwardMilliseconds)])
    // Like a delivery, it follows no redirect.
    const init: RequestInit = { method: 'POST', body, headers, signal: limit, redirect: 'manual' }
    const response = await fetch(url, init).catch((error: Error) => error)
    signal.throwIfAborted()
    const milliseconds = Math.round(performance.now() - startedAt)
    const status = response instanceof Error ? null : response.status
    const outcome = response instanceof Error ? `failed (${response.message})` : String(response.status)
    const line = `${event.createdAt}  ${event.type}  ${event.id}  ${outcome}  ${milliseconds} ms`
    const isAccepted = !(response instanceof Error) && response.ok
    out.result({ id: event.id, type: event.type, status, milliseconds }, [line], isAccepted ? 'green' : 'red')
  }
}

function urlOf(text: string | undefined): string {
  if (text === undefined)
    throw new UsageError('--forward-to is missing. Write it like --forward-to localhost:3000/hook.')
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (!URL.canParse(url)) throw new UsageError(`"${text}" is not a URL. Write it like localhost:3000/hook.`)
  return url
}
