import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { deriveKey } from '../../platform/crypto/derive-key.ts'
import { requireUser } from '../../platform/http/access.ts'
import { jsonType } from '../../platform/http/json.ts'
import { BusinessError, nullable, plainErrors, ref, ValidationError } from '../../platform/http/schemas.ts'
import { StatementItem } from '../../statement-items/schemas.ts'
import { parseBound } from './rules.ts'
import { readStatement } from './statement.ts'

const Bound = (description: string) =>
  Type.Unsafe<string>({
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
    ],
    description,
  })

const mostItems = 100

const Query = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: mostItems,
      default: mostItems,
      description: 'Most items of a page.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: '`pagination.nextCursor` of the page before.' })),
  startDate: Type.Optional(Bound('Inclusive. A bare date, such as `2026-01-31`, is its first instant (UTC).')),
  endDate: Type.Optional(Bound('Inclusive. A bare date, such as `2026-01-31`, is its last instant (UTC).')),
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
  const cursorKey = deriveKey(ctx.config.secret, 'statement cursor').export().toString('hex')

  function bound(text: string | undefined, side: 'start' | 'end'): Date | null {
    if (text === undefined) return null
    const at = parseBound(text, side)
    if (at === null) throw new InvalidInput(`querystring/${side}Date is not an instant of the calendar`)
    return at
  }

  app.get(
    '/user/statement',
    {
      config: { access: 'user', errors: 'statement' },
      schema: {
        tags: ['User Movements'],
        summary: 'All movements of the account, newest first',
        description:
          'Card transactions, deposits and withdrawals of every status. Pass `pagination.nextCursor` to read on; the filters may then be left out or repeated.',
        operationId: 'getStatement',
        querystring: Query,
        response: {
          200: {
            description: 'A page of the statement.',
            content: { 'application/json': { schema: ref(StatementPage) } },
          },
          ...plainErrors('ACCOUNT_NOT_FOUND', 502),
          400: {
            description:
              'The request is not valid; or, of kind `business`: `INVALID_CURSOR`, `CURSOR_MISMATCH` (other filters than those of the cursor), `INVALID_DATE_RANGE`.',
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
      const { limit = mostItems, cursor, startDate, endDate } = request.query
      const filters = { start: bound(startDate, 'start'), end: bound(endDate, 'end') }
      const page = await readStatement(ctx, cursorKey, requireUser(request), { limit, cursor: cursor ?? null, filters })
      // Once it is sent, or given up with its connection, nobody reads the bytes any more.
      if (reply.raw.destroyed) page.release()
      else reply.raw.once('close', page.release)
      // Bytes are sent as they are: the stored items are neither parsed nor serialised again.
      return reply.header('content-type', jsonType).send(page.bytes)
    },
  )
}
