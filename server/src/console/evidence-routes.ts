import type { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { requireOperator } from '../platform/http/access.ts'
import { plainErrors } from '../platform/http/schemas.ts'
import { type RunningBundles, readEvidence } from './evidence.ts'

const linesType = 'application/x-ndjson'

export function evidenceRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const running: RunningBundles = { count: 0 }

  app.get(
    '/operator/evidence',
    {
      config: { access: 'operator', may: 'evidence:read', limited: 'proof' },
      schema: {
        tags: ['Operator'],
        summary: 'Get signed evidence of a period',
        description:
          'Returns one line of JSON per decision, review, check of the books, card view, reveal, and read of user details by a partner. The last line contains the signature over all lines before it. The period is at most 92 days. docs/operators.md explains how to verify the signature.',
        operationId: 'operator.evidence',
        querystring: Type.Object({
          from: Type.String({ format: 'date-time' }),
          to: Type.String({ format: 'date-time', description: 'Exclusive.' }),
        }),
        response: {
          200: {
            description: 'Success.',
            content: { [linesType]: { schema: Type.Unsafe<Readable>({ type: 'string' }) } },
          },
          ...plainErrors(400, 429, 'PERIOD_INVALID'),
        },
      },
    },
    async (request, reply) => {
      const { from, to } = request.query
      const period = { from: new Date(from), to: new Date(to) }
      const stream = await readEvidence(ctx, running, period, requireOperator(request).address)
      const name = `evidence-${from.slice(0, 10)}-${to.slice(0, 10)}.ndjson`
      return reply
        .header('content-type', linesType)
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(stream)
    },
  )
}
