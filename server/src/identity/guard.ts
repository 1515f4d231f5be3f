import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { namesThisMachine } from '../config/outbound.ts'
import { sandboxPassword as defaultPassword } from '../config/secrets.ts'
import type { Ctx } from '../context.ts'
import { Refusal, type RefusalCode } from '../lib/errors.ts'
import { hasAccess } from '../lib/partner-status.ts'
import { isApiKey, partnerOfKey } from '../partners/api-keys.ts'
import { partnerOfWallet } from '../partners/partners.ts'
import { type Access, type PartnerCaller, requireUser } from '../platform/http/access.ts'
import { declaredErrors } from '../platform/http/errors.ts'
import { addErrors } from '../platform/http/schemas.ts'
import { bytesOf, openSignedBody, requireSignatureHeader, type Sender } from '../platform/http/signed-body.ts'
import { reportSecurity } from '../platform/observability/security-events.ts'
import { verifyAccess } from './auth/auth.ts'
import { requireOpenSession } from './auth/sessions.ts'
import { requireOwner } from './users/users.ts'

const securityOf: Readonly<Record<Access, Record<string, string[]>[]>> = {
  public: [],
  wallet: [{ bearer: [] }],
  user: [{ bearer: [] }],
  partner: [{ bearer: [] }],
  operator: [{ operator: [] }, { operatorCookie: [] }],
  sandbox: [{ sandbox: [] }],
  issuer: [{ issuer: [], issuerKeyId: [], issuerTimestamp: [] }],
  screening: [{ screening: [], screeningKeyId: [], screeningTimestamp: [] }],
  kyc: [{ kyc: [] }],
}

const refusalsOfTokens = [
  'UNAUTHORIZED',
  'INVALID_TOKEN',
  'TOKEN_EXPIRED',
  'DOMAIN_NOT_ALLOWED',
  'DOMAIN_OF_OTHER_PARTNER',
] as const

/** The error codes that each access check can throw. */
const refusalsOf: Readonly<Record<Access, readonly RefusalCode[]>> = {
  public: [],
  wallet: [...refusalsOfTokens, 'ACCESS_REVOKED'],
  user: [...refusalsOfTokens, 'NOT_REGISTERED', 'ACCESS_REVOKED'],
  partner: [
    ...refusalsOfTokens,
    'ACCESS_REVOKED',
    'INVALID_API_KEY',
    'NOT_A_MEMBER',
    'NOT_PERMITTED',
    'PARTNER_SUSPENDED',
  ],
  operator: ['OPERATOR_UNAUTHORIZED', 'ORIGIN_NOT_ALLOWED', 'ROLE_NOT_PERMITTED'],
  sandbox: ['SANDBOX_UNAUTHORIZED', 'SANDBOX_NOT_SHARED'],
  issuer: ['ISSUER_UNAUTHORIZED', 'ISSUER_TIMESTAMP_REFUSED', 'ISSUER_SIGNATURE_REFUSED'],
  screening: ['CALLBACK_REFUSED'],
  kyc: ['CALLBACK_REFUSED'],
}

/** Admits an operator. Operators are a higher layer than users, so their check is passed in. */
export type AdmitOperator = (request: FastifyRequest) => Promise<void>

/** An access check. One part runs before the body is read, the other after it. */
type Check = {
  readonly beforeBody?: (request: FastifyRequest) => void | Promise<void>
  readonly withBody?: (request: FastifyRequest) => void
}

/**
 * Installs the access checks, which run before the handlers. The server does not start if a route does not declare its
 * access, so that no route is public by mistake.
 */
export function guardRoutes(app: FastifyInstance, ctx: Ctx, admitOperator: AdmitOperator): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('partner', null)
  app.decorateRequest('operator', null)
  const checks = checksOf(app, ctx, admitOperator)
  const routes: RouteOptions[] = []
  app.addHook('onRequest', (request, _reply, done) => {
    const hosts = hostCount(request.raw.rawHeaders)
    const isValid = hosts === 1 || (hosts === 0 && request.raw.httpVersion === '1.0')
    done(isValid ? undefined : new Refusal('BAD_REQUEST'))
  })
  app.addHook('onRoute', (route) => {
    routes.push(route)
    const { access, may } = route.config ?? {}
    if (!access) return
    const { beforeBody, withBody } = checks[access]
    if (beforeBody) route.onRequest = async (request) => beforeBody(request)
    if (withBody) {
      route.preValidation = (request, _reply, done) => {
        withBody(request)
        done()
      }
    }
    // OpenAPI takes the access from the same declaration as the checks, so the two cannot differ.
    if (!route.schema) return
    route.schema.security = securityOf[access]
    if (may !== undefined) Object.assign(route.schema, { 'x-permission': may })
    if (route.schema.response)
      addErrors(Object(route.schema.response), declaredErrors(route.config?.errors), refusalsOf[access])
  })
  app.addHook('onReady', async () => {
    const undeclared = routes.filter(
      ({ method, config: { access, permission, may } = {} }) =>
        method !== 'OPTIONS' &&
        (access === undefined ||
          (access === 'partner') !== (permission !== undefined) ||
          (access === 'operator') !== (may !== undefined)),
    )
    if (undeclared.length > 0) {
      const urls = undeclared.map(({ url }) => url).join(', ')
      throw new Error(
        `${urls}: declare config.access. Declare config.permission exactly when the access is "partner", and config.may exactly when it is "operator".`,
      )
    }
  })
}

/** Counts the `Host` headers. Of several, Node.js keeps the first and a proxy may route by the last. */
function hostCount(rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

function checksOf(app: FastifyInstance, ctx: Ctx, admitOperator: AdmitOperator): Readonly<Record<Access, Check>> {
  const signedBy = (sender: Sender): Check => ({
    // The headers are checked first. The body is trusted only after its signature is verified.
    beforeBody: (request) => {
      requireSignatureHeader(sender, request, ctx.clock)
    },
    withBody: (request) => openSignedBody(app, sender, request, ctx.clock),
  })
  return {
    public: {},
    wallet: { beforeBody: (request) => admitWallet(ctx, request) },
    user: { beforeBody: (request) => admitUser(ctx, request) },
    partner: { beforeBody: (request) => admitPartner(ctx, request) },
    operator: { beforeBody: admitOperator },
    sandbox: { beforeBody: (request) => requireSimulator(request, ctx.config.sandboxPassword) },
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

/** Verifies a KYC callback. Each provider has its own signature scheme, so the adapter verifies and parses it. */
function openKycCallback(ctx: Ctx, request: FastifyRequest) {
  const callback = ctx.kyc.readCallback(request.headers, bytesOf(request))
  if (callback === null) throw new Refusal('CALLBACK_REFUSED')
  return callback
}

async function admitWallet(ctx: Ctx, request: FastifyRequest): Promise<void> {
  const caller = await verifyAccess(ctx, request.headers.authorization)
  await requireOpenSession(ctx, caller)
  request.caller = caller
}

async function admitUser(ctx: Ctx, request: FastifyRequest): Promise<void> {
  request.caller = await verifyAccess(ctx, request.headers.authorization)
  const caller = requireUser(request)
  // A stored response is returned without running the use case, so revoked access must be rejected here.
  if (request.headers['idempotency-key'] !== undefined) await requireOwner(ctx.db, caller)
}

async function admitPartner(ctx: Ctx, request: FastifyRequest): Promise<void> {
  const partner = await checkPartner(ctx, request)
  const { permission } = request.routeOptions.config
  if (permission === undefined || !isApiKey(request.headers.authorization)) return
  reportSecurity(ctx, 'api_key_used', permission, {
    reqId: request.id,
    partnerId: partner.partnerId,
    actor: partner.actor,
  })
}

/** Checks the credential of a partner's member or key. A request that waits for events repeats the check. */
export async function checkPartner(ctx: Ctx, request: FastifyRequest): Promise<PartnerCaller> {
  const { authorization } = request.headers
  const partner = isApiKey(authorization)
    ? await partnerOfKey(ctx, authorization)
    : await partnerOfMember(ctx, authorization)
  // Set before the checks, so that the partner's request log also has rejected requests, whose handlers do not run.
  request.partner = partner
  const { permission } = request.routeOptions.config
  // A suspended partner still sees its status, and its members can leave.
  if (!hasAccess(partner.status) && permission !== 'partner:read') throw new Refusal('PARTNER_SUSPENDED')
  if (permission === undefined || !partner.permissions.includes(permission)) throw new Refusal('NOT_PERMITTED')
  return partner
}

async function partnerOfMember(ctx: Ctx, authorization: string | undefined): Promise<PartnerCaller> {
  const caller = await verifyAccess(ctx, authorization)
  // Both queries run concurrently, so the check of the session adds no round trip. If both fail, the response names the
  // ended session.
  const partner = partnerOfWallet(ctx, caller)
  const [session] = await Promise.allSettled([requireOpenSession(ctx, caller), partner])
  if (session.status === 'rejected') throw session.reason
  return partner
}

/**
 * Checks HTTP Basic credentials. Everybody knows the default password, so it works only for requests to a host name of
 * this machine, such as localhost. The scheme is case-insensitive (RFC 9110, section 11.1).
 */
function requireSimulator({ headers: { authorization = '' }, hostname }: FastifyRequest, password: string): void {
  if (password === defaultPassword && !namesThisMachine(hostname)) throw new Refusal('SANDBOX_NOT_SHARED')
  const given = Buffer.from(authorization.replace(/^basic /i, 'Basic '))
  const wanted = Buffer.from(`Basic ${Buffer.from(`simulator:${password}`).toString('base64')}`)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new Refusal('SANDBOX_UNAUTHORIZED')
}
