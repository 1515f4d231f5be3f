import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/config.ts'
import { type ApiDocument, choosePaths } from './chosen-paths.ts'
import { jsonType } from './json.ts'
import { Address, Amount, DateTime, TxHash, Uuid } from './schemas.ts'
import { shareParts } from './shared-parts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The server of the route. Absent: the console's for the access `operator`, otherwise the server of the whole API.
     */
    server?: Exclude<keyof Config['servers'], 'pci'>
  }
}

const brotli = promisify(brotliCompress)

const statuses = `Each operation lists its error codes. The status selects the action:

| Status | Meaning | Action |
|---|---|---|
| 400 | The request is invalid. | Correct the request. |
| 401 | The access token or session is missing, invalid or expired. | Sign in again. |
| 403, 404, 409, 422 | A rule rejects the request. | Read the code. |
| 405, 413, 415 | The method, body size or content type is wrong. | Correct the request. |
| 429 | The rate limit is exceeded. | Wait for the seconds in \`Retry-After\`. |
| 500 | Purser has a fault. | Report the \`X-Request-Id\`. |
| 502 | A service behind Purser failed. | Send the same request again. |
| 503 | Purser cannot store anything at the moment. | Wait for the seconds in \`Retry-After\`, then send the same request again. |

Any operation can return 413, 415, 429, 500, 502 and 503, even where it does not list them.`

const description = `Purser is a self-hosted user account service for stablecoin card programmes. Users sign in with a wallet, complete identity
verification, deposit and withdraw stablecoins on chain, pay with virtual cards, and read balances and one statement.
The API of operators has a document of its own, \`/operator/openapi.json\`.

Two sandbox requests are enough to start: \`POST /sandbox/users\` creates a fully onboarded user, and \`POST /sandbox/deposits\` funds the account.

## Authentication

Most operations require an access token in the header \`Authorization: Bearer <token>\`.

1. Request a nonce with \`GET /api/v1/auth/nonce\`. A nonce is valid for 10 minutes and works once.
2. Let the wallet sign an [EIP-4361](https://eips.ethereum.org/EIPS/eip-4361) message that contains the nonce and a registered domain. \`localhost\` is always registered.
3. Exchange the message and the signature for an access token with \`POST /api/v1/auth/challenge\`. The token is valid for 1 to 24 hours.

A wallet that belongs to no user also gets a token, with which it can register. Operations of a user return 401 \`NOT_REGISTERED\` until then.
\`POST /user\` returns a new token for the registered user. After any other 401, sign in again.

Partners authenticate with a member's access token or with an API key (\`psk_…\`). Card processors and providers sign their requests.

## Amounts

Amounts are strings that hold a non-negative integer in the smallest unit. The quantity is \`amount / 10^decimals\`.
Parse them as arbitrary-precision integers: a floating-point number cannot hold 18 decimals.

| Where | Unit |
|---|---|
| Balances of a currency | the row's \`decimals\` (EUR and GBP 18, USD 6) |
| Balances, deposits and withdrawals of a token | the token's \`decimals\` |
| Card items of the statement | minor units of ISO 4217 (EUR 2, JPY 0, KWD 3) |
| \`POST /sandbox/transactions\` | major units, such as \`"12.50"\` |

An amount has no sign. In the statement, \`isCredit\` gives the direction. Times are in UTC with milliseconds, such as \`2026-01-31T09:30:00.000Z\`.

## Errors

${statuses} The header \`X-Error-Code\` has the code of
every error, because the shape of the body depends on the operation:

| Where | Body |
|---|---|
| Everywhere, unless listed below | \`{"success": false, "error": "CARD_NOT_FOUND"}\` |
| A request that does not match its schema | \`{"kind": "validation", "success": false, "error": {"name": "ValidationError", "message": "body/amount must match pattern …"}}\` |
| A rejected statement query | \`{"kind": "business", "success": false, "error": "INVALID_CURSOR"}\` |
| A rejected sign-in (401) | \`{"success": false, "error": "NONCE_EXPIRED", "message": "The nonce has expired. Request a new one."}\` |
| KYC and IBAN, below 500 | \`{"message": "…"}\` |
| KYC and IBAN, from 500 on | \`{"error": "…"}\` |

Unknown fields in a request are ignored. A value of the wrong type is rejected, never converted.
Every response carries an \`X-Request-Id\` that also appears in the service's log.

## Idempotency

Operations that take an \`Idempotency-Key\` run at most once for each key. Choose a unique key, such as a UUID, for each new request.
After a timeout or a 5xx, send the same request with the same key.

- A repeated request returns the stored response, byte for byte.
- The same key with another path or body returns 422 \`IDEMPOTENCY_KEY_REUSED\`.
- While the first request is in progress, a repeated one waits for it or returns 409 \`REQUEST_IN_PROGRESS\` with \`Retry-After\`.
- Responses 400, 401, 429 and 5xx are not stored, so a corrected request can reuse the key.
- Stored responses of requests that moved money never expire. All others expire after 24 hours, and at most 1,000 of them are stored per user or partner.
- Keys belong to one user or partner. All requests to the simulator share one scope.

## Pagination

The statement is a list with cursors. Pass \`pagination.nextCursor\` as \`cursor\` to read the next page, until it is \`null\`.
Entries that exist when you read the first page appear exactly once. A cursor is opaque and belongs to one user and one set of filters.

## Sandbox

The sandbox simulates the outside world: users who have completed onboarding, deposits, card messages, screening and time.
Its operations exist only in sandbox mode, and use HTTP Basic with the name \`simulator\`.
The email code is \`123456\`. Rate limits and daily limits are off unless configured.`

const operatorDescription = `The API of the people who run a Purser programme. The console and the command line use it. The API of users, partners and card
processors has a document of its own, \`/openapi.json\`.

## Authentication

1. Request a nonce with \`GET /api/v1/auth/nonce\`.
2. Let the wallet sign an [EIP-4361](https://eips.ethereum.org/EIPS/eip-4361) message that contains the nonce. Its domain is the host of the console. Its URI is the origin of the console followed by \`/operator/session\`.
3. Exchange the message and the signature for a session with \`POST /operator/session\`.

Scripts send the token of the session in the header \`Authorization: Bearer <token>\`. The console gets a cookie instead.
A session ends after 15 minutes without a request, and after 8 hours in any case.
The role of the operator must have the permission in the field \`x-permission\` of the operation.

## Decisions

With a session alone, an operator can read, check the books, end sessions and reject proposals. A wallet signs every other change.

1. Send the change without \`signed\`. The response has the state of the subject, and typed data of EIP-712.
2. Let the wallet sign the typed data, and send the same request with \`signed\`.
3. If the policy asks for two people, another person approves the proposal with \`POST /operator/proposals/{proposalId}/approve\`.

A repeated request returns the same proposal. See docs/operators.md for the commands and their policies.

## Amounts

Amounts are strings that hold a non-negative integer in the smallest unit. The quantity is \`amount / 10^decimals\`.
Times are in UTC with milliseconds, such as \`2026-01-31T09:30:00.000Z\`.

## Errors

${statuses} The header \`X-Error-Code\` has the code of every error:

| Where | Body |
|---|---|
| Everywhere, unless listed below | \`{"success": false, "error": "USER_NOT_FOUND"}\` |
| A request that does not match its schema | \`{"kind": "validation", "success": false, "error": {"name": "ValidationError", "message": "body/reason must be string"}}\` |
| A rejected sign-in (401) | \`{"success": false, "error": "NONCE_EXPIRED", "message": "The nonce has expired. Request a new one."}\` |

Unknown fields in a request are ignored. A value of the wrong type is rejected, never converted.
Every response carries an \`X-Request-Id\` that also appears in the service's log.

## Pagination

Pass \`pagination.nextCursor\` as \`cursor\` to read the next page of a list, until it is \`null\`.
Proposals and decisions have no cursors. Pass the \`proposalId\` or \`seq\` of the last item as \`after\`.`

const tags = [
  ['Programme', 'The facts about the programme that an app shows.'],
  ['Auth', 'Sign in with a wallet: nonces, challenges and the public keys of access tokens.'],
  ['User', 'Registration, the user, the owners and the onboarding status.'],
  ['Terms', 'The current terms and their acceptance.'],
  ['Source of Funds', "The questionnaire on the origin of the user's money."],
  ['Phone', "The cardholder's phone number."],
  ['User Account', 'The account and its balances.'],
  ['Cards', 'Virtual cards: create, list, name, limit, block, cancel and report them.'],
  ['PCI', 'Card number, expiry, security code and PIN, shown in a secure frame after an owner signs.'],
  ['User Movements', 'The statement, deposits and withdrawals.'],
  ['KYC', 'Sharing a completed identity verification with a partner.'],
  ['IBAN', 'Bank account numbers of users.'],
  [
    'Partners',
    "Partners: members, domains, KYC clients and API keys. Send a member's access token or an API key (`psk_…`) as the bearer.",
  ],
  ['Webhooks', "Events about a partner's users: endpoints, events and deliveries."],
  ['Issuer', 'The operations that a card processor calls. See docs/issuer-gateway.md.'],
  ['Callbacks', 'The callbacks of screening and identity-verification providers. See docs/callbacks.md.'],
  [
    'Operator',
    'The people who run the programme: sign-in, sessions, proposals and decisions. Off in production unless `OPERATOR_API` is on. See docs/operators.md.',
  ],
  ['Health', 'Liveness, readiness and metrics of the service.'],
  ['Sandbox', 'The simulator of the outside world. Absent in production.'],
] as const

/** Registers the builder of the OpenAPI document, which includes only routes that are registered later. */
export async function describeApi(
  app: FastifyInstance,
  config: Config,
  webhooks: Record<string, object>,
  common: Record<string, object>,
  bases: readonly string[],
): Promise<void> {
  app.addHook('onRoute', ({ config: { server, access } = {}, schema }) => {
    const url = config.servers[server ?? (access === 'operator' ? 'console' : 'base')]
    if (schema && url !== config.servers.base) Object.assign(schema, { servers: [{ url }] })
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Purser',
        // The version of the interface, which is not that of the product.
        version: '0.0.0',
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: config.servers.base }],
      tags: tags.map(([name, text]) => ({ name, description: text })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          operator: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token of a session of an operator (`pso_…`), from `POST /operator/session`.',
          },
          operatorCookie: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-purser-operator',
            description:
              'The cookie of the console. Changes also need the header `X-Purser-Console: 1`. In a sandbox without https, the cookie is named `purser-operator`.',
          },
          sandbox: {
            type: 'http',
            scheme: 'basic',
            description: 'The name is `simulator`. The password is `SANDBOX_PASSWORD`, by default `sandbox`.',
          },
          issuer: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Issuer-Signature',
            description: '`v1=` followed by the HMAC-SHA256, in hex, of the timestamp, a period and the body.',
          },
          issuerKeyId: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Issuer-Key-Id',
            description: 'The id of the signing key.',
          },
          issuerTimestamp: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Issuer-Timestamp',
            description: 'The time of signing in Unix seconds, at most 300 seconds from now.',
          },
          screening: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Screening-Signature',
            description: '`v1=` followed by the HMAC-SHA256, in hex, of the timestamp, a period and the body.',
          },
          kyc: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Payload-Digest',
            description: "The provider's own signature of the body.",
          },
          screeningKeyId: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Screening-Key-Id',
            description: 'The id of the signing key.',
          },
          screeningTimestamp: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Screening-Timestamp',
            description: 'The time of signing in Unix seconds, at most 300 seconds from now.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (schema, _base, _fragment, i) => String(schema['$id'] ?? `schema${i}`) },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      for (const item of Object.values(document.openapiObject.paths ?? {})) {
        for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) completeOperation(item?.[method] ?? {})
      }
      const whole = { ...document.openapiObject, security: commonSecurity, webhooks }
      return shareParts(whole, { ...common, Address, Amount, DateTime, TxHash, Uuid }, bases)
    },
  })
}

/** The security of operations that name none. Most operations need an access token. */
const commonSecurity = [{ bearer: [] }]

const successes: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

type DocumentedOperation = { security?: object[]; responses?: Record<string, object>; parameters?: object[] }

/**
 * Fills in missing descriptions of success. Leaves out the common security, and the examples of optional parameters:
 * request forms would send them.
 */
function completeOperation(operation: DocumentedOperation): void {
  if (operation.parameters) operation.parameters = operation.parameters.map(withoutOptionalExample)
  if (JSON.stringify(operation.security) === JSON.stringify(commonSecurity)) delete operation.security
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    if (!('description' in response) || response.description !== 'Default Response') continue
    response.description = successes[status]
  }
}

function withoutOptionalExample(parameter: object): object {
  if ('required' in parameter && parameter.required === true) return parameter
  const { example: _example, examples: _examples, ...rest } = { example: null, examples: null, ...parameter }
  return rest
}

/** Where the document of each audience is served. */
const places = { users: '/openapi.json', operators: '/operator/openapi.json' } as const
export type Audience = keyof typeof places

const isOperators = (path: string) => path.startsWith('/operator/')

/** Returns the document of an audience, from the document of the whole interface. */
export function documentFor(audience: Audience, whole: ApiDocument, { servers }: Config): ApiDocument {
  if (audience === 'users') return choosePaths(whole, (path) => !isOperators(path))
  // Only partners receive events, and each operation of operators names its own security.
  const { webhooks: _webhooks, security: _security, ...document } = whole
  const info = { ...document.info, title: 'Purser for operators', description: operatorDescription }
  return choosePaths({ ...document, info, servers: [{ url: servers.console }] }, isOperators)
}

/**
 * Serves the document of an audience. It is public, since the repository contains the same text. Clients cache it, and
 * revalidate it for each use. The first request builds it, because few processes serve it and building it takes time.
 */
export function serveApiDocument(app: FastifyInstance, config: Config, audience: Audience): void {
  let made: ReturnType<typeof makeDocument> | null = null
  let compressed: Promise<Buffer> | null = null
  app.get(places[audience], { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    made ??= makeDocument(app, config, audience)
    const { document, etag } = made
    const isBrotli = /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
    const tag = `"${etag}${isBrotli ? '-br' : ''}"`
    reply.header('cache-control', 'no-cache').header('vary', 'accept-encoding').header('etag', tag)
    if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    reply.header('content-type', jsonType)
    if (!isBrotli) return reply.send(document)
    compressed ??= brotli(document, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
    return reply.header('content-encoding', 'br').send(await compressed)
  })
}

type Made = { readonly document: Buffer; readonly etag: string }

function makeDocument(app: FastifyInstance, config: Config, audience: Audience): Made {
  const whole: ApiDocument = JSON.parse(JSON.stringify(app.swagger()))
  const document = Buffer.from(JSON.stringify(documentFor(audience, whole, config)))
  return { document, etag: createHash('sha256').update(document).digest('base64url').slice(0, 16) }
}
