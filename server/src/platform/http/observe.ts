import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../../context.ts'

/**
 * What browsers are told of every answer: it is no page, embeds nothing and belongs into no frame. The reference page
 * has a policy of its own. Constant, since they go out with every answer: computing them cost more than routing.
 */
const protectiveHeaders = Object.entries({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

/** The headers, the metric and the log line that every request gets. The hooks call back: a promise each would cost more. */
export function observeRequests(app: FastifyInstance, ctx: Ctx): void {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    for (const [name, value] of protectiveHeaders) reply.header(name, value)
    reply.header('x-request-id', request.id)
    // Else the stop would wait for a client that keeps its connection open.
    if (isStopping) reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const { method } = request
    const { statusCode, elapsedTime } = reply
    ctx.metrics.requestSeconds.observe({ method, route, status: String(statusCode) }, elapsedTime / 1000)
    request.log.info(
      { reqId: request.id, method, route, statusCode, milliseconds: Math.round(elapsedTime * 10) / 10 },
      'request',
    )
    done()
  })
}
