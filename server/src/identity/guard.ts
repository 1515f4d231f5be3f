import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Ctx } from '../context.ts'
import { Refusal, type RefusalCode } from '../lib/errors.ts'
import { isApiKey, partnerOfKey } from '../partners/api-keys.ts'
import { partnerOfWallet } from '../partners/partners.ts'
import { type Access, requireUser } from '../platform/http/access.ts'
import { declaredErrors } from '../platform/http/errors.ts'
import { bytesOf, openSignedBody, requireSignatureHeader, type Sender } from '../platform/http/signed-body.ts'
import { verifyAccess } from './auth/auth.ts'
import { requireOwner } from './users/users.ts'

const securityOf: Readonly<Record<Access, Record<string, string[]>[]>> = {
  public: [],
  wallet: [{ bearer: [] }],
  user: [{ bearer: [] }],
  partner: [{ bearer: [] }],
  sandbox: [{ sandbox: [] }],
  issuer: [{ issuer: [], issuerKeyId: [], issuerTimestamp: [] }],
  screening: [{ screening: [], screeningKeyId: [], screeningTimestamp: [] }],
  kyc: [{ kyc: [] }],
}

/** What the check of each access answers. */
const refusalsOf: Readonly<Record<Access, readonly RefusalCode[]>> = {
  public: [],
  wallet: ['UNAUTHORIZED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'ACCESS_REVOKED'],
  user: ['UNAUTHORIZED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'NOT_REGISTERED', 'ACCESS_REVOKED'],
  partner: ['UNAUTHORIZED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'INVALID_API_KEY', 'NOT_A_MEMBER', 'NOT_PERMITTED'],
  sandbox: ['SANDBOX_UNAUTHORIZED'],
  issuer: ['ISSUER_UNAUTHORIZED', 'ISSUER_TIMESTAMP_REFUSED', 'ISSUER_SIGNATURE_REFUSED'],
  screening: ['CALLBACK_REFUSED'],
  kyc: ['CALLBACK_REFUSED'],
}

/** What a route asks of its callers: before the body is read, and once it is. */
type Check = {
  readonly first?: (request: FastifyRequest) => void | Promise<void>
  readonly withBody?: (request: FastifyRequest) => void
}

/** Deny first: a route without a declared access cannot be registered, and each access has its check before anything else. */
export function guardRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('partner', null)
  const checks = checksOf(app, ctx)
  const routes: RouteOptions[] = []
  app.addHook('onRequest', (request, _reply, done) => {
    const isNameless = request.headers.host === undefined && request.raw.httpVersion !== '1.0'
    done(isNameless ? new Refusal('BAD_REQUEST') : undefined)
  })
  app.addHook('onRoute', (route) => {
    routes.push(route)
    const access = route.config?.access
    if (!access) return
    const { first, withBody } = checks[access]
    if (first) route.onRequest = async (request) => first(request)
    if (withBody) {
      route.preValidation = (request, _reply, done) => {
        withBody(request)
        done()
      }
    }
    // The document says who may call, from the same declaration that the check reads.
    if (!route.schema) return
    route.schema.security = securityOf[access]
    if (route.schema.response)
      Object.assign(route.schema.response, declaredErrors(route.config?.errors)(...refusalsOf[access]))
  })
  app.addHook('onReady', async () => {
    const undeclared = routes.filter(
      ({ method, config: { access, permission } = {} }) =>
        method !== 'OPTIONS' && (access === undefined || (access === 'partner') !== (permission !== undefined)),
    )
    if (undeclared.length > 0) throw new Error(`${undeclared.map(({ url }) => url).join(', ')}: no access declared`)
  })
}

function checksOf(app: FastifyInstance, ctx: Ctx): Readonly<Record<Access, Check>> {
  const signedBy = (sender: Sender): Check => ({
    // What a body says is believed once it is read and proves to be signed.
    first: (request) => {
      requireSignatureHeader(sender, request, ctx.clock)
    },
    withBody: (request) => openSignedBody(app, sender, request, ctx.clock),
  })
  return {
    public: {},
    wallet: { first: (request) => admitWallet(ctx, request) },
    user: { first: (request) => admitUser(ctx, request) },
    partner: { first: (request) => admitPartner(ctx, request) },
    sandbox: { first: (request) => requireSimulator(request, ctx.config.sandboxPassword) },
    issuer: signedBy(senderOf(ctx, 'issuer')),
    screening: signedBy(senderOf(ctx, 'screening')),
    kyc: {
      withBody: (request) => {
        request.body = openKycCallback(ctx, request)
      },
    },
  }
}

function senderOf({ config }: Ctx, access: 'issuer' | 'screening'): Sender {
  if (access === 'issuer') {
    return {
      name: access,
      keys: config.issuerKeys,
      refusals: {
        header: 'ISSUER_UNAUTHORIZED',
        time: 'ISSUER_TIMESTAMP_REFUSED',
        signature: 'ISSUER_SIGNATURE_REFUSED',
      },
    }
  }
  const refused = 'CALLBACK_REFUSED'
  return { name: access, keys: config.screeningKeys, refusals: { header: refused, time: refused, signature: refused } }
}

/** How its callbacks are signed is the provider's own affair: the adapter says whether one is, and what it is about. */
function openKycCallback(ctx: Ctx, request: FastifyRequest) {
  const callback = ctx.kyc.readCallback(request.headers, bytesOf(request))
  if (callback === null) throw new Refusal('CALLBACK_REFUSED')
  return callback
}

async function admitWallet(ctx: Ctx, request: FastifyRequest): Promise<void> {
  request.caller = await verifyAccess(ctx, request.headers.authorization)
}

async function admitUser(ctx: Ctx, request: FastifyRequest): Promise<void> {
  await admitWallet(ctx, request)
  const caller = requireUser(request)
  // A stored response is sent before any use case could notice that the wallet's access was revoked.
  if (request.headers['idempotency-key'] !== undefined) await requireOwner(ctx.db, caller)
}

async function admitPartner(ctx: Ctx, request: FastifyRequest): Promise<void> {
  const { authorization } = request.headers
  const partner = isApiKey(authorization)
    ? await partnerOfKey(ctx, authorization)
    : await partnerOfWallet(ctx, await verifyAccess(ctx, authorization))
  const { permission } = request.routeOptions.config
  if (permission === undefined || !partner.permissions.includes(permission)) throw new Refusal('NOT_PERMITTED')
  request.partner = partner
}

/** HTTP Basic; the scheme in any case (RFC 9110, section 11.1). */
function requireSimulator({ headers: { authorization = '' } }: FastifyRequest, password: string): void {
  const given = Buffer.from(authorization.replace(/^basic /i, 'Basic '))
  const wanted = Buffer.from(`Basic ${Buffer.from(`simulator:${password}`).toString('base64')}`)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new Refusal('SANDBOX_UNAUTHORIZED')
}
