import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { deriveKeys } from '../../platform/crypto/derive-key.ts'
import { sendBytes } from '../../platform/db/hot-reads/send-bytes.ts'
import { requireUser } from '../../platform/http/access.ts'
import { jsonType } from '../../platform/http/json.ts'
import { BusinessError, nullable, oneOf, plainErrors, ref, Uuid, ValidationError } from '../../platform/http/schemas.ts'
import { StatementItem } from '../../statement-items/schemas.ts'
import { exportStatement, type RunningExports } from './export.ts'
import { itemTypes, parseBound } from './rules.ts'
import { readStatement } from './statement.ts'

const Bound = (description: string) =>
  Type.Unsafe<string>({
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
    ],
    description,
  })

const maxItems = 100

const Query = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: maxItems,
      default: maxItems,
      description: 'The maximum number of items on the page.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: '`pagination.nextCursor` of the previous page.' })),
  startDate: Type.Optional(Bound('Inclusive. A bare date such as `2026-01-31` means its first instant (UTC).')),
  endDate: Type.Optional(Bound('Inclusive. A bare date such as `2026-01-31` means its last instant (UTC).')),
  type: Type.Optional(oneOf(itemTypes, { description: 'Only items of this type.' })),
  cardId: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Only card transactions of this card.' })),
})

const StatementPage = Type.Object(
  {
    data: Type.Array(ref(StatementItem)),
    pagination: Type.Object({
      nextCursor: nullable(Type.String({ description: 'Opaque; null on the last page.' })),
      hasNext: Type.Boolean(),
    }),
  },
  { $id: 'StatementPage' },
)

export const statementSchemas = [StatementPage]

export function statementRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const running: RunningExports = new Set()
  const cursorKeys = deriveKeys(ctx.config.secrets, 'statement cursor')

  function bound(text: string | undefined, side: 'start' | 'end'): Date | null {
    if (text === undefined) return null
    const at = parseBound(text, side)
    if (at === null) throw new InvalidInput(`querystring/${side}Date must be a time that exists`)
    return at
  }

  app.get(
    '/user/statement',
    {
      config: { access: 'user', errors: 'statement' },
      schema: {
        tags: ['User Movements'],
        summary: 'List all movements of the account',
        description:
          'Returns card transactions, deposits and withdrawals of every status, newest first. To read the next page, pass `pagination.nextCursor` as `cursor`. The filters may then be omitted or repeated. With `Accept: text/csv`, the response is a CSV file with all items that match the filters, without pages.',
        operationId: 'statement.list',
        querystring: Query,
        response: {
          200: {
            description: 'A page of the statement.',
            content: {
              'application/json': { schema: ref(StatementPage) },
              'text/csv': { schema: Type.String() },
            },
          },
          ...plainErrors('ACCOUNT_NOT_FOUND', 429, 502),
          400: {
            description:
              'The request is invalid. Errors of kind `business` are `INVALID_CURSOR`, `CURSOR_MISMATCH` (the filters differ from those of the cursor) and `INVALID_DATE_RANGE`.',
            content: {
              'application/json': {
                schema: {
                  oneOf: [ref(ValidationError), ref(BusinessError)],
                  discriminator: {
                    propertyName: 'kind',
                    mapping: {
                      validation: '#/components/schemas/ValidationError',
                      business: '#/components/schemas/BusinessError',
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { limit = maxItems, cursor, startDate, endDate, type = null, cardId } = request.query
      const filters = {
        start: bound(startDate, 'start'),
        end: bound(endDate, 'end'),
        type,
        cardId: cardId?.toLowerCase() ?? null,
      }
      if (wantsCsv(request.headers.accept)) {
        const stream = await exportStatement(ctx, running, requireUser(request), filters)
        reply.header('content-disposition', 'attachment; filename="statement.csv"').header('vary', 'Accept')
        return reply.type('text/csv; charset=utf-8; header=present').send(stream)
      }
      const page = await readStatement(ctx, cursorKeys, requireUser(request), {
        limit,
        cursor: cursor ?? null,
        filters,
      })
      return sendBytes(reply.header('content-type', jsonType), page)
    },
  )
}

function wantsCsv(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/csv\b/i.test(accept)
}
