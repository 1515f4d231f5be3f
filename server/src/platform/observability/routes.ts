import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { isMigrated } from '../db/migrate.ts'
import { oneOf } from '../http/schemas.ts'

const Health = Type.Object({ status: oneOf(['ok', 'unavailable']) })

/** Serves liveness, readiness and metrics. */
export function healthRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Check that the process is alive',
        operationId: 'getHealth',
        response: { 200: Health },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/health/ready',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Check that the service is ready',
        description:
          'The service is ready when the database is reachable, has stored everything for 30 seconds, and all migrations have run.',
        operationId: 'getReadiness',
        response: {
          200: { description: 'The service is ready.', content: { 'application/json': { schema: Health } } },
          503: {
            description: 'The service is not ready. Try again later.',
            content: { 'application/json': { schema: Health } },
          },
        },
      },
    },
    async (request, reply) => {
      try {
        if (ctx.db.shortage() === null && (await isMigrated(ctx.db))) return { status: 'ok' as const }
      } catch (error) {
        request.log.warn({ reqId: request.id, err: error }, 'readiness check failed')
      }
      return reply.code(503).send({ status: 'unavailable' })
    },
  )

  app.get(
    '/metrics',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Read the metrics of the process',
        operationId: 'getMetrics',
        response: {
          200: {
            description: 'The metrics in the Prometheus text format.',
            content: { 'text/plain': { schema: Type.String() } },
          },
        },
      },
    },
    async (_request, reply) => {
      const text = await ctx.metrics.registry.metrics()
      return reply.header('content-type', ctx.metrics.registry.contentType).serializer(String).send(text)
    },
  )
}
