import { setTimeout as delay } from 'node:timers/promises'
import type { BodyOf } from '../../../client/src/index.ts'
import { type Command, Failure, type Given } from '../command.ts'
import { type Context, partnerClient } from '../context.ts'
import { timeOf } from '../durations.ts'

/** The commands about a partner's webhook endpoints and deliveries. */
const endpoint = { name: 'endpoint', description: 'The id of the endpoint' }
const pageSize = 500

export const webhookCommands: readonly Command[] = [
  {
    name: 'webhooks list',
    summary: "Lists the partner's webhook endpoints, with their health",
    async run(context) {
      const { data } = await (await partnerClient(context)).partner.webhooks.list()
      for (const warning of new Set(data.flatMap(({ warnings }) => warnings))) context.out.note(warning)
      context.out.table(
        data,
        data.map(({ endpointId, status, failingSince, events, url }) => [
          endpointId,
          status,
          failingSince === null ? 'healthy' : `failing since ${failingSince}`,
          events.join(','),
          url,
        ]),
      )
    },
  },
  {
    name: 'webhooks deliveries',
    summary: 'Lists the deliveries of an endpoint, newest first',
    arguments: [endpoint],
    options: [
      { name: 'status', value: 'status', description: 'Only this status', choices: ['pending', 'delivered', 'dead'] },
      { name: 'limit', value: 'number', description: 'The maximum number, by default 100' },
    ],
    async run(context, given) {
      const status = given.optional('status') as 'pending' | 'delivered' | 'dead' | undefined
      const limit = given.integer('limit', { min: 1, max: pageSize }) ?? 100
      const query = { limit, ...(status === undefined ? {} : { status }) }
      const purser = await partnerClient(context)
      const { data } = await purser.partner.webhooks.listDeliveries(given.id('endpoint'), query)
      const rows = data.map((each) => [
        each.attemptedAt ?? '',
        each.eventId,
        each.type,
        each.status,
        String(each.responseStatus ?? each.error ?? ''),
      ])
      context.out.table(data, rows)
    },
  },
  {
    name: 'webhooks resend',
    summary: 'Sends dead letters of an endpoint again, or all deliveries since a time',
    arguments: [endpoint],
    options: [
      {
        name: 'since',
        value: 'time',
        description: 'All deliveries of events since this time, such as 2026-01-31T09:30:00Z',
      },
    ],
    examples: ['webhooks resend 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a --since 2026-01-31'],
    async run(context, given) {
      const [endpointId, since] = [given.id('endpoint'), given.optional('since')]
      const window = since === undefined ? {} : { from: timeOf(since), status: 'all' as const }
      const { webhooks } = (await partnerClient(context)).partner
      let deliveries = 0
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const body = cursor === undefined ? window : { ...window, cursor }
        const resent = await webhooks.resendDeadLetters(endpointId, body)
        deliveries += resent.deliveries
        context.out.working(`deliveries now due: ${deliveries}`)
        cursor = resent.nextCursor
      }
      context.out.result({ deliveries }, [`Deliveries now due: ${deliveries}`])
    },
  },
  {
    name: 'webhooks test',
    summary: 'Sends an invented event to an endpoint, and shows how its server responds',
    detail:
      'The event has "test": true. It is signed and retried like every other. The exit code is 1 if the server does not accept it.',
    arguments: [endpoint],
    options: [{ name: 'type', value: 'type', description: 'The type of the event, by default deposit.approved' }],
    examples: ['webhooks test 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a --type card.created'],
    run: sendTest,
  },
]

/** The time in which a healthy service makes the first attempt, including its limit for the response. */
const testMilliseconds = 30_000
const pollMilliseconds = 250

async function sendTest(context: Context, given: Given): Promise<void> {
  const { signal, out } = context
  const endpointId = given.id('endpoint')
  const purser = await partnerClient(context)
  const type = (given.optional('type') ?? 'deposit.approved') as BodyOf<'partner.webhooks.test'>['type']
  const { eventId } = await purser.partner.webhooks.test(endpointId, { type })
  for (const startedAt = Date.now(); Date.now() - startedAt < testMilliseconds; ) {
    await delay(pollMilliseconds, undefined, { signal })
    const { attempts } = await purser.partner.webhooks.getDelivery(endpointId, eventId, { signal })
    const [attempt] = attempts
    if (attempt === undefined) continue
    const { responseStatus, error, milliseconds } = attempt
    const isAccepted = responseStatus !== null && responseStatus >= 200 && responseStatus < 300
    const outcome = responseStatus === null ? `failed (${error})` : String(responseStatus)
    out.result(
      { eventId, type, isAccepted, attempt },
      [`${type}  ${eventId}  ${outcome}  ${milliseconds} ms`],
      isAccepted ? 'green' : 'red',
    )
    if (!isAccepted)
      throw new Failure('The server did not accept the event. Correct the server, then send another test event.')
    return
  }
  throw new Failure(`The service has not sent ${eventId} yet. See: purser webhooks deliveries ${endpointId}`)
}
