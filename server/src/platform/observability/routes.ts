import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { isMigrated } from '../db/migrate.ts'
import { oneOf } from '../http/schemas.ts'

const Health = Type.Object({ status: oneOf(['ok', 'unavailable']) })

/** Live: the process answers. Ready: the database does too, and has every migration. */
export function healthRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Is the process alive',
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
        summary: 'Can the service do its work',
        description: 'The database is reachable and its migrations are current.',
        operationId: 'getReadiness',
        response: {
          200: { description: 'It can.', content: { 'application/json': { schema: Health } } },
          503: { description: 'It cannot, at present.', content: { 'application/json': { schema: Health } } },
        },
      },
    },
    async (request, reply) => {
      try {
        if (await isMigrated(ctx.db)) return { status: 'ok' as const }
      } catch (error) {
        request.log.warn({ reqId: request.id, err: error }, 'not ready')
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
        summary: 'Prometheus metrics',
        operationId: 'getMetrics',
        response: {
          200: { description: 'Text exposition format', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) => {
      const text = await ctx.metrics.registry.metrics()
      return reply.header('content-type', ctx.metrics.registry.contentType).serializer(String).send(text)
    },
  )
}
