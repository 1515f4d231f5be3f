import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LimitedAction, LimitSubject } from '../../config/rate-limits.ts'
import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { clientAddress, networksOf } from '../net/client-address.ts'
import type { Access } from './access.ts'
import { declaredErrors } from './errors.ts'
import { addErrors } from './schemas.ts'

/**
 * Enforces RATE_LIMITS per network address, wallet, user and partner. Each process counts in memory of bounded size, so
 * that a flood of unknown clients neither fills the memory nor causes queries.
 */
const maxKeys = 50_000

/** A client may own a whole /48 of IPv6. All its /64 networks together may send this many times one client's limit. */
const siteFactor = 16

/**
 * Signed requests have no limit. All card messages come from a few addresses, and a rejected one would decline a
 * payment. A request without a valid signature costs no query.
 */
const signed: ReadonlySet<Access> = new Set(['issuer', 'screening', 'kyc'])

/** Counts an action of a subject. Throws a refusal when the limit is exceeded. */
type Count = (request: FastifyRequest, action: LimitedAction, subject: LimitSubject, key: string) => Promise<void>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The action of RATE_LIMITS that counts requests to the route, besides `any`. */
    limited?: Exclude<LimitedAction, 'any'>
  }
  interface FastifyInstance {
    countLimited: Count
  }
  interface FastifyRequest {
    limitKey: string
  }
}

/** Must be registered before the guard, so that a limited address causes no authentication work. */
export async function limitRequests(app: FastifyInstance, { config }: Pick<Ctx, 'config'>): Promise<void> {
  await app.register(rateLimit, { global: false })
  app.decorateRequest('limitKey', '')
  const keyGenerator = (request: FastifyRequest) => request.limitKey
  const limiters = new Map(
    config.rateLimits.flatMap(({ action, subject, max, seconds }) => {
      const limiter = (factor: number) => {
        // Each limiter has a store of its own. The library's type omits `cache`, the size of the store.
        const options = { max: max * factor, timeWindow: seconds * 1000, keyGenerator, cache: maxKeys }
        return app.createRateLimit(options)
      }
      const limits = [[`${action} ${subject}`, limiter(1)] as const]
      return subject === 'address' ? [...limits, [`${action} site`, limiter(siteFactor)] as const] : limits
    }),
  )

  const count = async (request: FastifyRequest, action: LimitedAction, subject: LimitSubject | 'site', key: string) => {
    const limiter = limiters.get(`${action} ${subject}`)
    if (limiter === undefined) return
    request.limitKey = key
    const counted = await limiter(request)
    if (!counted.isAllowed && counted.isExceeded) throw new Refusal('RATE_LIMITED', counted.ttlInSeconds)
  }
  const countLimited: Count = count
  app.decorate('countLimited', countLimited)

  const actionsOf = ({ is404, routeOptions }: FastifyRequest): LimitedAction[] => {
    const { access, limited } = is404 ? {} : routeOptions.config
    if (access !== undefined && signed.has(access)) return []
    return limited === undefined ? ['any'] : ['any', limited]
  }
  if (limiters.size > 0) {
    app.addHook('onRequest', async (request) => {
      const actions = actionsOf(request)
      if (actions.length === 0) return
      const { customer, site } = networksOf(clientAddress(request.ips ?? [request.ip]))
      for (const action of actions) {
        await count(request, action, 'address', customer)
        if (site !== null) await count(request, action, 'site', site)
      }
    })
    app.addHook('preValidation', async (request) => {
      const { caller, partner } = request
      if (caller === null && partner === null) return
      for (const action of actionsOf(request)) {
        if (partner !== null) await count(request, action, 'partner', partner.partnerId)
        if (caller === null) continue
        await count(request, action, 'wallet', caller.signerAddress)
        if (caller.userId !== null) await count(request, action, 'user', caller.userId)
      }
    })
  }
  app.addHook('onRoute', ({ config: route, schema }) => {
    if (schema?.response && route?.limited) addErrors(Object(schema.response), declaredErrors(route.errors), [429])
  })
}
