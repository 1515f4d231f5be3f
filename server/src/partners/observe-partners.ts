import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { recordRequest, writeActivity } from './activity.ts'

const writeMilliseconds = 2000

/** Records the requests of partners, and writes what this process has collected. */
export function observePartners(app: FastifyInstance, ctx: Ctx): void {
  const write = () =>
    writeActivity(ctx).catch((error: unknown) => ctx.log.warn({ err: error }, 'partner activity could not be written'))
  let timer: NodeJS.Timeout | undefined
  app.addHook('onReady', async () => {
    timer = setInterval(write, writeMilliseconds)
    timer.unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await write()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { partner, method, routeOptions, id: requestId } = request
    if (partner !== null) {
      const { statusCode: status, elapsedTime } = reply
      const [route, milliseconds] = [routeOptions.url ?? 'unknown', Math.round(elapsedTime)]
      const sent = { requestId, actor: partner.actor, method, route, status, milliseconds }
      recordRequest(ctx, partner.partnerId, { ...sent, code: codeOf(request, status), requestedAt: ctx.clock.now() })
    }
    done()
  })
}

/** Returns the code of the error response; null for a success. Errors without a refusal get a code by their status. */
function codeOf({ refusal }: FastifyRequest, status: number): string | null {
  if (refusal !== null || status < 400) return refusal
  if (status < 500) return 'VALIDATION'
  return status === 502 ? 'UPSTREAM_FAILURE' : 'INTERNAL_ERROR'
}
