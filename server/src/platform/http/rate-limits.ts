import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LimitedAction, LimitSubject } from '../../config/rate-limits.ts'
import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Access } from './access.ts'
import { declaredErrors } from './errors.ts'

/**
 * How often one network address, wallet or user may do something: RATE_LIMITS. Each process counts for itself, in a
 * store of bounded size, so that a flood of strangers costs no memory and no query.
 */
const mostKeys = 50_000

/**
 * All of the programme's payments come from a few addresses: to refuse one here is to decline it. What is not signed costs
 * no query.
 */
const signing: ReadonlySet<Access> = new Set(['issuer', 'screening', 'kyc'])

/** Counts one more of the action for the subject named by the key; refuses what is too many. */
type Count = (request: FastifyRequest, action: LimitedAction, subject: LimitSubject, key: string) => Promise<void>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What of RATE_LIMITS counts requests to the route, besides `any`. */
    limited?: Exclude<LimitedAction, 'any'>
  }
  interface FastifyInstance {
    countLimited: Count
  }
  interface FastifyRequest {
    limitKey: string
  }
}

/** Must come before the routes and before whatever proves who calls: an address that asks too often proves nothing. */
export async function limitRequests(app: FastifyInstance, { config }: Ctx): Promise<void> {
  await app.register(rateLimit, { global: false, cache: mostKeys })
  app.decorateRequest('limitKey', '')
  const limiters = new Map(
    config.rateLimits.map(({ action, subject, max, seconds }) => {
      const limiter = app.createRateLimit({
        max,
        timeWindow: seconds * 1000,
        // Without one it is the client's network address; of IPv6 the /64, all of which is one client's.
        ...(subject === 'address' ? {} : { keyGenerator: (request: FastifyRequest) => request.limitKey }),
      })
      return [`${action} ${subject}`, limiter] as const
    }),
  )

  const count: Count = async (request, action, subject, key) => {
    const limiter = limiters.get(`${action} ${subject}`)
    if (limiter === undefined) return
    request.limitKey = key
    const counted = await limiter(request)
    if (!counted.isAllowed && counted.isExceeded) throw new Refusal('RATE_LIMITED', counted.ttlInSeconds)
  }
  app.decorate('countLimited', count)

  const actionsOf = ({ is404, routeOptions }: FastifyRequest): LimitedAction[] => {
    const { access, limited } = is404 ? {} : routeOptions.config
    if (access !== undefined && signing.has(access)) return []
    return limited === undefined ? ['any'] : ['any', limited]
  }
  if (limiters.size > 0) {
    app.addHook('onRequest', async (request) => {
      for (const action of actionsOf(request)) await count(request, action, 'address', request.ip)
    })
    app.addHook('preValidation', async (request) => {
      const { caller } = request
      if (caller === null) return
      for (const action of actionsOf(request)) {
        await count(request, action, 'wallet', caller.signerAddress)
        if (caller.userId !== null) await count(request, action, 'user', caller.userId)
      }
    })
  }
  app.addHook('onRoute', ({ config: route, schema }) => {
    if (schema?.response && route?.limited) Object.assign(schema.response, declaredErrors(route.errors)(429))
  })
}
