import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import type { RefusalCode } from '../../lib/errors.ts'
import { clientAddress } from '../net/client-address.ts'
import { withoutRedaction } from './log.ts'
import { eventOfRefusal, reportSecurity } from './security-events.ts'

/**
 * Headers that tell browsers to treat every response as data: not as a page, and never inside a frame. Pages set their
 * own policies.
 */
const protectiveHeaders = Object.entries({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

/** Adds the protective headers, the metric and the log line of every request. */
export function observeRequests(app: FastifyInstance, ctx: Ctx): void {
  const log = withoutRedaction(ctx.log)
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    for (const [name, value] of protectiveHeaders) reply.header(name, value)
    // Most responses depend on the caller. Routes of public data set their own cache lifetime.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    reply.header('x-request-id', request.id)
    // A keep-alive connection would delay the shutdown.
    if (isStopping) reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const { method } = request
    const { statusCode, elapsedTime } = reply
    ctx.metrics.requestSeconds.observe({ method, route, status: String(statusCode) }, elapsedTime / 1000)
    const milliseconds = Math.round(elapsedTime * 10) / 10
    if (request.refusal) reportRefusal(ctx, request, request.refusal)
    log.info({ reqId: request.id, method, route, statusCode, milliseconds }, 'request completed')
    done()
  })
}

function reportRefusal(ctx: Ctx, request: FastifyRequest, code: RefusalCode): void {
  const event = eventOfRefusal(code)
  if (event === null) return
  const { id, method, routeOptions, caller, partner, operator } = request
  reportSecurity(ctx, event, code, {
    reqId: id,
    method,
    route: routeOptions.url ?? 'unknown',
    address: clientAddress(request.ips ?? [request.ip]),
    ...(caller === null ? {} : { wallet: caller.signerAddress, userId: caller.userId }),
    ...(partner === null ? {} : { partnerId: partner.partnerId, actor: partner.actor }),
    ...(operator === null ? {} : { operator: operator.address }),
  })
}
