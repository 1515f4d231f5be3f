import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import cors from '@fastify/cors'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Ctx } from './context.ts'
import { guardRoutes } from './identity/guard.ts'
import { operatorGuard } from './operators/sessions.ts'
import { isOriginAllowed } from './partners/domains.ts'
import { observePartners } from './partners/observe-partners.ts'
import type { Db } from './platform/db/db.ts'
import { errorBody, handleError, renderErrors } from './platform/http/errors.ts'
import { parseJson } from './platform/http/json.ts'
import { describeApi, serveApiDocument } from './platform/http/openapi.ts'
import { limitRequests } from './platform/http/rate-limits.ts'
import { buildSerializer } from './platform/http/serialization.ts'
import { rejectUnknownRoutes } from './platform/http/unknown-routes.ts'
import { buildValidator, describeProblem } from './platform/http/validation.ts'
import { serveWeb } from './platform/http/web-routes.ts'
import type { Jobs } from './platform/jobs/jobs.ts'
import { trustOf } from './platform/net/client-address.ts'
import { observeRequests } from './platform/observability/requests.ts'
import { healthRoutes, metricsRoute } from './platform/observability/routes.ts'
import type { Traces } from './platform/observability/traces.ts'
import { apiSchemas, baseRecords, commonSchemas, documentedWebhooks, registerRoutes } from './routes.ts'

/** This relative path is the same from the folder of the sources and from the folder of the bundle. */
const builtPages = join(import.meta.dirname, '../../web/dist')
const maxBodyBytes = 64 * 1024
const maxRequestMilliseconds = 10_000
const maxIdleMilliseconds = 60_000
const maxLoggedOriginLength = 200
const validator = buildValidator(apiSchemas)
const serializer = buildSerializer(apiSchemas)

/**
 * Builds the HTTP service: first the hooks that guard every request, then the routes. Requests of operators use
 * `operatorDb`, which has the database role `operator`.
 */
export async function buildApp(
  ctx: Ctx,
  jobs: Jobs,
  operatorDb: Db,
  traces: Traces | null = null,
): Promise<FastifyInstance> {
  const app = newApp(ctx)
  // First, so that a span covers every other hook.
  traces?.traceRequests(app)
  app.setValidatorCompiler(validator)
  for (const schema of apiSchemas) app.addSchema(schema)
  acceptJson(app)
  await app.register(cors, {
    // A request without an origin does not come from a web page, so it needs no lookup.
    origin: (origin, allow) => {
      if (origin === undefined) return allow(null, false)
      isOriginAllowed(ctx, origin).then(
        (isAllowed) => {
          if (!isAllowed && ctx.config.mode === 'sandbox') explainOrigin(ctx, origin)
          allow(null, isAllowed)
        },
        (error: Error) => allow(error, false),
      )
    },
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['x-request-id', 'x-error-code', 'retry-after'],
    maxAge: 600,
    strictPreflight: false,
  })
  await limitRequests(app, ctx)
  const operatorCtx = { ...ctx, db: operatorDb }
  guardRoutes(app, ctx, operatorGuard(operatorCtx))
  rejectUnknownRoutes(app)
  observeRequests(app, ctx)
  observePartners(app, ctx)
  await describeApi(app, ctx.config, documentedWebhooks(), commonSchemas, baseRecords)

  await app.register(async (routes) => registerRoutes(routes, ctx, jobs, operatorCtx))
  serveApiDocument(app, ctx.config, 'users')
  await app.register((scope) => serveWeb(scope, ctx, builtPages))
  return app
}

/** Logs the reason once per origin, because a browser tells the developer of the page only "Failed to fetch". */
function explainOrigin({ log, caches }: Ctx, origin: string): void {
  if (caches.explainedOrigins.has(origin)) return
  caches.explainedOrigins.set(origin, true)
  const reason = 'origin rejected: open the page under http://localhost, or under https and a registered domain'
  log.warn({ origin: origin.slice(0, maxLoggedOriginLength) }, reason)
}

/** Builds the service of METRICS_PORT: health and metrics, for processes without an API or with a shared port. */
export function buildHealthApp(ctx: Ctx): FastifyInstance {
  const app = newApp(ctx)
  rejectUnknownRoutes(app)
  observeRequests(app, ctx)
  healthRoutes(app, ctx)
  metricsRoute(app, ctx, null)
  return app
}

/**
 * The maximum length of a target that names a host (RFC 9112, section 3.2.2). A longer one gets 404, because the router
 * parses the host before any rate limit applies, which can take quadratic time.
 */
const maxAbsoluteTarget = 2_000

function limitTarget(target: string): string {
  return target.startsWith('/') || target.length <= maxAbsoluteTarget ? target : '/target-too-long'
}

/** Builds a server with the limits of time and size and the error responses that every listener has. */
function newApp(ctx: Ctx): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = ctx.log
  const app = Fastify({
    loggerInstance,
    // `observeRequests` writes one line per request. Headers and bodies are never logged.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // Log lines carry the request id themselves, so no request needs a logger of its own.
    childLoggerFactory: (log) => log,
    bodyLimit: maxBodyBytes,
    trustProxy: ctx.config.trustedProxies.length > 0 ? trustOf(ctx.config.trustedProxies) : false,
    routerOptions: { maxParamLength: 500 },
    rewriteUrl: ({ url = '/' }) => limitTarget(url),
    // Slow requests: Node.js applies the larger of the two timeouts, and checks at the interval below.
    requestTimeout: maxRequestMilliseconds,
    // Clients that stop reading: their responses occupy memory until the connection is closed.
    connectionTimeout: maxIdleMilliseconds,
    http: {
      headersTimeout: maxRequestMilliseconds,
      connectionsCheckingInterval: 1_000,
      // For a request without a host, Node.js would send an empty 400. `guardRoutes` sends an error body instead.
      requireHostHeader: false,
    },
    // A stop finishes the requests in flight, and closes each connection once it is idle.
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
  // Unknown `Expect` headers are ignored. Node.js would respond with an empty 417.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  renderErrors(app)
  app.setSerializerCompiler(serializer)
  return app
}

/** Accepts JSON only. An empty body counts as none, because some clients send a content type even then. */
function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (request: FastifyRequest, body: string) =>
    body === '' ? undefined : parseJson(app, request, body),
  )
}
