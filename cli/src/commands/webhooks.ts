import { type Command, UsageError } from '../command.ts'
import { partnerClient } from '../context.ts'

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
      const { data } = await purser.partner.webhooks.listDeliveries(given.text('endpoint'), query)
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
    summary: 'Sends dead letters of an endpoint again, or all events since a time',
    arguments: [endpoint],
    options: [
      { name: 'since', value: 'time', description: 'All events since this time, such as 2026-01-31T09:30:00Z' },
    ],
    examples: ['webhooks resend 01a1fc4e-f39c-748a-b04f-9ca8209a4d4a --since 2026-01-31'],
    async run(context, given) {
      const purser = await partnerClient(context)
      const [endpointId, since] = [given.text('endpoint'), given.optional('since')]
      if (since === undefined) {
        const resent = await purser.partner.webhooks.resendDeadLetters(endpointId)
        context.out.result(resent, [`${resent.deliveries} deliveries are due.`])
        return
      }
      const from = Date.parse(since)
      if (Number.isNaN(from)) throw new UsageError(`"${since}" is no time. Write it like 2026-01-31T09:30:00Z.`)
      let deliveries = 0
      for await (const { id, createdAt } of purser.partner.events.list({ limit: pageSize })) {
        if (Date.parse(createdAt) < from) continue
        deliveries += (await purser.partner.events.resend(id, { endpointId }, { signal: context.signal })).deliveries
      }
      context.out.result({ deliveries }, [`${deliveries} deliveries are due.`])
    },
  },
]
