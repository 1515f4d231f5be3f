import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import { InvalidInput } from '../lib/errors.ts'
import { requirePartner } from '../platform/http/access.ts'
import { DateTime, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { type DayCount, listRequests, type RequestPosition, readCounts } from './activity.ts'

const tags = ['Partners']
const maxDays = 366
const defaultDays = 30

const Count = Type.Integer({ minimum: 0 })
const DayRecord = Type.Object(
  {
    day: Type.String({ format: 'date' }),
    users: Count,
    cards: Count,
    transactions: Count,
    declines: Type.Array(Type.Object({ code: Type.String(), count: Count })),
  },
  { title: 'DayStatistics' },
)
const RequestRecord = Type.Object(
  {
    requestId: Uuid,
    requestedAt: DateTime,
    actor: Type.String(),
    method: Type.String(),
    route: Type.String({ examples: ['/partner/events'] }),
    status: Type.Integer(),
    code: nullable(Type.String({ description: 'The error code.' })),
    milliseconds: Type.Integer(),
  },
  { title: 'PartnerRequest' },
)
const cursorPattern = '^[0-9]{1,15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
const Day = Type.String({ format: 'date', pattern: '^2' })

const declinesPrefix = 'declines:'

/** Returns one record for each day that has a count. */
function dayRecords(counts: readonly DayCount[]) {
  return [...Map.groupBy(counts, ({ day }) => day)].map(([day, own]) => {
    const countOf = (name: string) => Number(own.find((one) => one.name === name)?.count ?? 0n)
    const declines = own
      .filter(({ name }) => name.startsWith(declinesPrefix))
      .map(({ name, count }) => ({ code: name.slice(declinesPrefix.length), count: Number(count) }))
    return { day, users: countOf('users'), cards: countOf('cards'), transactions: countOf('transactions'), declines }
  })
}

function rangeOf(ctx: Ctx, { from, to }: { from?: string; to?: string }): { from: string; to: string } {
  const end = to ?? ctx.clock.now().toISOString().slice(0, 10)
  const start =
    from ??
    addSeconds(new Date(end), -(defaultDays - 1) * 86_400)
      .toISOString()
      .slice(0, 10)
  const days = (Date.parse(end) - Date.parse(start)) / 86_400_000
  if (days < 0 || days >= maxDays) {
    throw new InvalidInput(`querystring/from must be at most ${maxDays - 1} days before querystring/to, not after it`)
  }
  return { from: start, to: end }
}

function positionOf(cursor: string | undefined): RequestPosition | null {
  const [time, requestId] = cursor?.split('_') ?? []
  return requestId === undefined ? null : { requestedAt: new Date(Number(time)), requestId }
}

/** Routes for the activity of a partner: statistics and its requests. */
export function activityRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/statistics',
    {
      config: { access: 'partner', permission: 'users:read' },
      schema: {
        tags,
        summary: 'Get counts by day',
        description:
          'For each day in UTC, counts new users, new cards, approved card transactions, and declined card transactions by code. Days without counts are omitted. The last few seconds may be missing. The default is the last 30 days.',
        operationId: 'partner.statistics',
        querystring: Type.Object({ from: Type.Optional(Day), to: Type.Optional(Day) }),
        response: { 200: Type.Object({ data: Type.Array(DayRecord) }), ...plainErrors(400) },
      },
    },
    async (request) => ({
      data: dayRecords(await readCounts(ctx, requirePartner(request), rangeOf(ctx, request.query))),
    }),
  )

  app.get(
    '/partner/requests',
    {
      config: { access: 'partner', permission: 'audit:read' },
      schema: {
        tags,
        summary: 'List the requests of members and API keys, newest first',
        description: 'Covers 7 days. A request appears after a few seconds.',
        operationId: 'partner.requests.list',
        querystring: Type.Object({
          failed: Type.Optional(oneOf(['true', 'false'], { default: 'false', description: '`true`: only errors.' })),
          cursor: Type.Optional(Type.String({ pattern: cursorPattern })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(RequestRecord),
            pagination: Type.Object({ nextCursor: nullable(Type.String()), hasNext: Type.Boolean() }),
          }),
          ...plainErrors(400),
        },
      },
    },
    async (request) => {
      const { failed = 'false', cursor, limit = 100 } = request.query
      const query = { limit, after: positionOf(cursor), isFailed: failed === 'true' }
      const { rows, hasNext } = await listRequests(ctx, requirePartner(request), query)
      const last = rows.at(-1)
      const nextCursor = hasNext && last ? `${last.requestedAt.getTime()}_${last.requestId}` : null
      const data = rows.map(({ requestedAt, ...row }) => ({ ...row, requestedAt: requestedAt.toISOString() }))
      return { data, pagination: { nextCursor, hasNext } }
    },
  )
}
