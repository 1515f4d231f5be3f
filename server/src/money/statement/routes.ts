import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { deriveKeys } from '../../platform/crypto/derive-key.ts'
import { sendBytes } from '../../platform/db/hot-reads/send-bytes.ts'
import { requireUser } from '../../platform/http/access.ts'
import { jsonType } from '../../platform/http/json.ts'
import { BusinessError, plainErrors, ref, ValidationError } from '../../platform/http/schemas.ts'
import { exportStatement, type RunningExports } from './export.ts'
import { pageRequestOf, StatementPage, StatementQuery } from './query.ts'
import { readStatement } from './statement.ts'

export const statementSchemas = [StatementPage]

export function statementRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const running: RunningExports = new Set()
  const cursorKeys = deriveKeys(ctx.config.secrets, 'statement cursor')

  app.get(
    '/user/statement',
    {
      config: { access: 'user', errors: 'statement' },
      schema: {
        tags: ['User Movements'],
        summary: 'List the statement of the account',
        description:
          'Returns card transactions, deposits and withdrawals of every status, newest first. A request with a `cursor` may omit or repeat the filters. With `Accept: text/csv`, the response is a CSV file with all items that match the filters, without pages.',
        operationId: 'statement.list',
        querystring: StatementQuery,
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
      const wanted = pageRequestOf(request.query)
      if (wantsCsv(request.headers.accept)) {
        const stream = await exportStatement(ctx, running, requireUser(request), wanted.filters)
        reply.header('content-disposition', 'attachment; filename="statement.csv"').header('vary', 'Accept')
        return reply.type('text/csv; charset=utf-8; header=present').send(stream)
      }
      const page = await readStatement(ctx, cursorKeys, requireUser(request), wanted)
      return sendBytes(reply.header('content-type', jsonType), page)
    },
  )
}

function wantsCsv(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/csv\b/i.test(accept)
}
