import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { cardRoutes, cardSchemas } from './cards/cards/routes.ts'
import { issuerGatewayRoutes } from './cards/gateway/routes.ts'
import { issuerSchemas } from './cards/gateway/schemas.ts'
import { frameRoutes } from './cards/pci/frame-routes.ts'
import { pciRoutes } from './cards/pci/routes.ts'
import { closingRoutes } from './closing/routes.ts'
import type { Ctx } from './context.ts'
import { tokenRoutes } from './identity/access-tokens/routes.ts'
import { authRoutes } from './identity/auth/routes.ts'
import { guardRoutes } from './identity/guard.ts'
import { kycCallbackRoutes } from './identity/kyc/callback-routes.ts'
import { kycRoutes } from './identity/kyc/routes.ts'
import { ownerRoutes } from './identity/onboarding/owners-routes.ts'
import { accountRoutes, registrationRoutes, userRoutes } from './identity/onboarding/routes.ts'
import { sourceOfFundsRoutes, termsRoutes } from './identity/onboarding/terms-routes.ts'
import { balanceRoutes } from './money/balances/routes.ts'
import { depositRoutes } from './money/deposits/routes.ts'
import { screeningRoutes } from './money/deposits/screening-routes.ts'
import { ibanActivationRoutes, ibanRoutes } from './money/ibans/routes.ts'
import { statementRoutes, statementSchemas } from './money/statement/routes.ts'
import { withdrawalRoutes } from './money/withdrawals/routes.ts'
import { apiKeyRoutes } from './partners/api-key-routes.ts'
import { kycClientRoutes, partnerDomainRoutes } from './partners/domain-routes.ts'
import { isOriginAllowed } from './partners/domains.ts'
import { memberRoutes, partnerRoutes } from './partners/routes.ts'
import { errorBody, handleError, renderErrors } from './platform/http/errors.ts'
import { parseJson } from './platform/http/json.ts'
import { describeApi, serveApiDocument } from './platform/http/openapi.ts'
import { limitRequests } from './platform/http/rate-limits.ts'
import { sharedSchemas } from './platform/http/schemas.ts'
import { buildSerializer } from './platform/http/serialization.ts'
import { rejectUnknownRoutes } from './platform/http/unknown-routes.ts'
import { buildValidator, describeProblem } from './platform/http/validation.ts'
import type { Jobs } from './platform/jobs/jobs.ts'
import { observeRequests } from './platform/observability/requests.ts'
import { healthRoutes } from './platform/observability/routes.ts'
import { sandboxCardRoutes } from './sandbox/cards-routes.ts'
import { sandboxChainRoutes } from './sandbox/chain-routes.ts'
import { sandboxClockRoutes } from './sandbox/clock-routes.ts'
import { sandboxDepositRoutes } from './sandbox/deposits-routes.ts'
import { sandboxTransactionRoutes } from './sandbox/transactions-routes.ts'
import { sandboxUserRoutes } from './sandbox/users-routes.ts'
import { sandboxWithdrawalRoutes } from './sandbox/withdrawals-routes.ts'
import { statementItemSchemas } from './statement-items/schemas.ts'
import { eventRoutes } from './webhooks/event-routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { documentedWebhooks, eventSchemas } from './webhooks/schemas.ts'

const largestBodyBytes = 64 * 1024
const longestRequestMilliseconds = 10_000
const longestStandstillMilliseconds = 60_000
const schemas = [
  ...sharedSchemas,
  ...cardSchemas,
  ...statementItemSchemas,
  ...statementSchemas,
  ...issuerSchemas,
  ...eventSchemas,
]
const validator = buildValidator(schemas)
const serializer = buildSerializer(schemas)

/** The whole HTTP face on one screen: what guards every request, then the routes. */
export async function buildApp(ctx: Ctx, jobs: Jobs): Promise<FastifyInstance> {
  const app = newApp(ctx)
  app.setValidatorCompiler(validator)
  for (const schema of schemas) app.addSchema(schema)
  acceptJson(app)
  await app.register(cors, {
    // Most requests come from no browser's page: called back at once, they wait for nothing.
    origin: (origin, allow) => {
      if (origin === undefined) return allow(null, false)
      isOriginAllowed(ctx, origin).then(
        (isAllowed) => allow(null, isAllowed),
        (error: Error) => allow(error, false),
      )
    },
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: ['x-request-id', 'retry-after'],
    maxAge: 600,
    strictPreflight: false,
  })
  await limitRequests(app, ctx)
  guardRoutes(app, ctx)
  rejectUnknownRoutes(app)
  observeRequests(app, ctx)
  await describeApi(app, ctx.config, documentedWebhooks())

  await app.register(async (routes) => {
    healthRoutes(routes, ctx)
    authRoutes(routes, ctx)
    tokenRoutes(routes, ctx)
    registrationRoutes(routes, ctx)
    userRoutes(routes, ctx)
    ownerRoutes(routes, ctx)
    closingRoutes(routes, ctx)
    termsRoutes(routes, ctx)
    sourceOfFundsRoutes(routes, ctx)
    accountRoutes(routes, ctx)
    kycRoutes(routes, ctx)
    ibanRoutes(routes, ctx)
    ibanActivationRoutes(routes, ctx)
    cardRoutes(routes, ctx)
    pciRoutes(routes, ctx)
    frameRoutes(routes, ctx)
    depositRoutes(routes, ctx)
    withdrawalRoutes(routes, ctx)
    balanceRoutes(routes, ctx)
    statementRoutes(routes, ctx)
    issuerGatewayRoutes(routes, ctx)
    partnerRoutes(routes, ctx)
    memberRoutes(routes, ctx)
    partnerDomainRoutes(routes, ctx)
    kycClientRoutes(routes, ctx)
    apiKeyRoutes(routes, ctx)
    webhookRoutes(routes, ctx)
    eventRoutes(routes, ctx)
    screeningRoutes(routes, ctx)
    kycCallbackRoutes(routes, ctx)
    if (ctx.sandbox) sandboxRoutes(routes, ctx, jobs)
  })
  await serveApiDocument(app, ctx.config)
  return app
}

/** How this process is, and nothing else: for one that serves no users, or shares its port with others. */
export function buildHealthApp(ctx: Ctx): FastifyInstance {
  const app = newApp(ctx)
  rejectUnknownRoutes(app)
  observeRequests(app, ctx)
  healthRoutes(app, ctx)
  return app
}

/** What is the same wherever we listen: bounds of time and size, errors in our own shape, nothing for unknown paths. */
function newApp(ctx: Ctx): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = ctx.log
  const app = Fastify({
    loggerInstance,
    // One line a request, with what people ask for; headers and bodies are never logged.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // Lines name their request themselves: a logger for each, which most need for one line at most, costs more than that.
    childLoggerFactory: (log) => log,
    bodyLimit: largestBodyBytes,
    trustProxy: ctx.config.trustedProxies.length > 0 ? [...ctx.config.trustedProxies] : false,
    routerOptions: { maxParamLength: 500 },
    // A request must be here by then. Node takes the longer of the two for the whole, and looks so often.
    requestTimeout: longestRequestMilliseconds,
    // Whoever reads nothing of an answer for so long is cut off: it is held in memory for them.
    connectionTimeout: longestStandstillMilliseconds,
    http: {
      headersTimeout: longestRequestMilliseconds,
      connectionsCheckingInterval: 1_000,
      // Node's own answer to a request without a host has no body; `guardRoutes` refuses it in ours.
      requireHostHeader: false,
    },
    // A stopping service finishes what is in flight and closes connections as they fall idle.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: handleError,
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return
      const body = JSON.stringify(errorBody('plain', 400, 'BAD_REQUEST', ''))
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    },
    schemaErrorFormatter: describeProblem,
  })
  // An expectation that nobody knows is ignored; Node would answer it with an empty 417.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  renderErrors(app)
  app.setSerializerCompiler(serializer)
  return app
}

function sandboxRoutes(app: FastifyInstance, ctx: Ctx, jobs: Jobs): void {
  sandboxUserRoutes(app, ctx)
  sandboxCardRoutes(app, ctx)
  sandboxDepositRoutes(app, ctx)
  sandboxWithdrawalRoutes(app, ctx)
  sandboxTransactionRoutes(app, ctx)
  sandboxChainRoutes(app, ctx)
  sandboxClockRoutes(app, ctx, jobs)
}

/** JSON and nothing else. An empty body is no body: some clients name a content type even then. */
function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (request: FastifyRequest, body: string) =>
    body === '' ? undefined : parseJson(app, request, body),
  )
}
