import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../context.ts'
import { codeHeader } from '../platform/http/errors.ts'
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
      const code = reply.getHeader(codeHeader)?.toString() ?? null
      recordRequest(ctx, partner.partnerId, { ...sent, code, requestedAt: ctx.clock.now() })
    }
    done()
  })
}
