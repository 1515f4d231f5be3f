import { createHash, timingSafeEqual } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { isMigrated } from '../db/migrate.ts'
import { oneOf, plainErrors } from '../http/schemas.ts'

const Health = Type.Object({ status: oneOf(['ok', 'unavailable']) })

/** Serves liveness and readiness. */
export function healthRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Check that the process is alive',
        operationId: 'health.get',
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
          'The service is ready when the database is reachable, all migrations have run, and the last shortage of the database was more than 30 seconds ago.',
        operationId: 'health.getReadiness',
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
}

/**
 * Serves the metrics, which show funds and debts. `token` is the bearer token that a scrape needs. Null: the network
 * alone restricts access to the listener.
 */
export function metricsRoute(instance: FastifyInstance, { metrics }: Pick<Ctx, 'metrics'>, token: string | null): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/metrics',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Read the metrics of the process',
        description:
          'The metrics are rendered at most once a second. They need the bearer token `METRICS_TOKEN` if it is set. Production without the token serves them only on `METRICS_PORT`.',
        operationId: 'health.getMetrics',
        response: {
          200: {
            description: 'The metrics in the Prometheus text format.',
            content: { 'text/plain': { schema: Type.String() } },
          },
          ...plainErrors('METRICS_UNAUTHORIZED'),
        },
      },
    },
    async ({ headers: { authorization = '' } }, reply) => {
      if (token !== null && !isSame(authorization, `Bearer ${token}`)) throw new Refusal('METRICS_UNAUTHORIZED')
      const text = await metrics.render()
      return reply.header('content-type', metrics.registry.contentType).serializer(String).send(text)
    },
  )
}

/** Compares in constant time, so that response times reveal nothing about the token. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
