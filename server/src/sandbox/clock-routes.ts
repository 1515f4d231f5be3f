import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { DateTime, plainErrors } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnceWithLease, sandboxScope } from '../platform/idempotency/idempotency.ts'
import type { Jobs } from '../platform/jobs/jobs.ts'
import { controlsOf } from './sandbox.ts'

const Now = Type.Object({ now: DateTime })
const maxStepSeconds = 366 * 24 * 3600

export function sandboxClockRoutes(instance: FastifyInstance, ctx: Ctx, jobs: Jobs): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/sandbox/clock',
    {
      config: { access: 'sandbox' },
      schema: {
        tags: ['Sandbox'],
        summary: 'Get the time of the service',
        operationId: 'sandbox.clock.get',
        response: { 200: Now },
      },
    },
    async () => ({ now: ctx.clock.now().toISOString() }),
  )

  app.post(
    '/sandbox/clock',
    {
      // The idempotency key must not expire when its own request advances the clock.
      config: { access: 'sandbox', keepsResponses: true },
      schema: {
        headers: KeyHeader,
        tags: ['Sandbox'],
        summary: 'Advance the time of the service',
        description:
          'Responds once all work that became due has run. This time also decides when access tokens and nonces expire.',
        operationId: 'sandbox.clock.advance',
        body: Type.Object({
          advanceSeconds: Type.Integer({ minimum: 0, maximum: maxStepSeconds, examples: [3600] }),
        }),
        response: { 200: Now, ...plainErrors(400, 'REQUEST_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED') },
      },
    },
    async (request, reply) => {
      // A year of due work may exceed the idle timeout of connections.
      request.raw.socket.setTimeout(0)
      return respondOnceWithLease(ctx, request, reply, sandboxScope, async (refId) => {
        // Advancing the clock can end the lease of the key, so a repeated request may run beside the first one.
        await controlsOf(ctx).clock.advance(request.body.advanceSeconds, refId)
        await jobs.runDue()
        return { status: 200, body: { now: ctx.clock.now().toISOString() } }
      })
    },
  )
}
