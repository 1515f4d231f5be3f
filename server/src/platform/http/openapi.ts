import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify'
import type { Config } from '../../config/config.ts'
import { jsonType } from './json.ts'

const description = `Purser is a self-hosted user account service for stablecoin card programmes: people sign in with a wallet, get virtual
cards, deposit and withdraw on chain, and read balances and one statement.

## Signing in

Get a nonce, let the wallet sign an EIP-4361 message with it and with a registered domain (\`localhost\` always is), and exchange both for an
access token, good for 1 to 24 hours: \`Authorization: Bearer <token>\`. After a 401 sign in again.

## Amounts and times

Amounts are strings: integers in the smallest unit, so the quantity is amount / 10^decimals. Only \`isCredit\` says which way the money went.
Times are in UTC, to the millisecond.

## Errors

\`{"success": false, "error": "CARD_NOT_FOUND"}\`: each operation names its codes. What does not fit the schema is 400 with \`kind: "validation"\`
and a message that says where. KYC and IBAN operations answer \`{"message"}\`, and \`{"error"}\` from 500 on; a refused sign-in has code and message.
Any operation may answer 413, 415, 429 (with \`Retry-After\`), 500 and 502 as well. Each answer has an \`X-Request-Id\`, which its lines in the log name.

## Asking twice

Where an \`Idempotency-Key\` is taken, the same request with the same key gets the stored answer, byte for byte: send it again when in doubt.

## Sandbox

\`/sandbox\` plays the world outside: users who are through onboarding, deposits, card messages, the clock. HTTP Basic, user \`simulator\`.`

const tags = [
  ['Auth', 'Sign-In with Ethereum: nonce, challenge, published keys.'],
  ['User', 'Registration, the user and the onboarding status.'],
  ['Terms', 'Terms to accept, by version.'],
  ['Source of Funds', 'The questionnaire on the origin of the money.'],
  ['Phone', "The cardholder's phone number."],
  ['User Account', 'The account and its balances.'],
  ['Cards', 'Virtual cards: create, block, unblock, cancel.'],
  ['PCI', 'Card number, expiry, security code and PIN, in a frame that only the owner opens.'],
  ['User Movements', 'Statement, deposits, withdrawals.'],
  ['KYC', 'Identity verification shared with partners.'],
  ['Health', 'Whether the service lives and is ready; metrics.'],
  ['IBAN', 'Bank account numbers.'],
  [
    'Partners',
    "Partners who bring users: members, domains, API keys. The bearer is a member's access token or an API key (`psk_…`).",
  ],
  ['Webhooks', 'What partners are told of their users: endpoints, events, deliveries.'],
  ['Issuer', 'What a card processor calls: decisions, advices, clearings, card events. See docs/issuer-gateway.md.'],
  ['Callbacks', 'What providers of compliance services call. See docs/callbacks.md.'],
  ['Sandbox', 'The simulator. Absent in production.'],
] as const

/** Registers the document's builder. Must come before the first route, which it reads. */
export async function describeApi(
  app: FastifyInstance,
  config: Config,
  webhooks: Record<string, object>,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Purser',
        version: '0.0.0',
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: config.servers.base }],
      tags: tags.map(([name, text]) => ({ name, description: text })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          sandbox: {
            type: 'http',
            scheme: 'basic',
            description: 'User `simulator`, password from SANDBOX_PASSWORD (`sandbox` unless set).',
          },
          issuer: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Issuer-Signature',
            description: '`v1=` and the hex HMAC-SHA256 of timestamp, full stop and body.',
          },
          issuerKeyId: { type: 'apiKey', in: 'header', name: 'X-Issuer-Key-Id', description: 'Which key signed.' },
          issuerTimestamp: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Issuer-Timestamp',
            description: 'Unix seconds, at most 300 from now.',
          },
          screening: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Screening-Signature',
            description: '`v1=` and the hex HMAC-SHA256 of timestamp, full stop and body.',
          },
          kyc: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Payload-Digest',
            description: "The provider's own signature over the body.",
          },
          screeningKeyId: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Screening-Key-Id',
            description: 'Which key signed.',
          },
          screeningTimestamp: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Screening-Timestamp',
            description: 'Unix seconds, at most 300 from now.',
          },
        },
      },
    },
    refResolver: { buildLocalReference: (schema, _base, _fragment, i) => String(schema['$id'] ?? `schema${i}`) },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      for (const [path, item] of Object.entries(document.openapiObject.paths ?? {})) {
        const server = serverOf(path, config)
        if (item && server !== config.servers.base) item.servers = [{ url: server }]
        for (const method of ['get', 'post', 'patch', 'delete'] as const) tellSuccess(method, item?.[method] ?? {})
      }
      return { ...document.openapiObject, webhooks }
    },
  })
}

const successes: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it is done in the background.',
}

/** What a route does not say of its success: a read answers what its summary names. */
function tellSuccess(method: string, operation: { summary?: string; responses?: Record<string, object> }): void {
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    if (!('description' in response) || response.description !== 'Default Response') continue
    response.description = method === 'get' ? operation.summary : successes[status]
  }
}

/** The address group of a path, by the interface's three placeholders. */
function serverOf(path: string, config: Config): string {
  if (path.startsWith('/api/v1/')) return config.servers.api
  if (path === '/user/withdrawals') return config.servers.authModule
  return config.servers.base
}

/** `/openapi.json` and the page that people browse. Both are public: they say nothing that the repository does not. */
export async function serveApiDocument(app: FastifyInstance, { servers }: Config): Promise<void> {
  let document = ''
  const elsewhere = [servers.api, servers.authModule].filter((server) => server !== servers.base)
  const reachable = ["'self'", ...new Set(elsewhere.map((server) => new URL(server).origin))].join(' ')
  app.addHook('onReady', async () => {
    document = JSON.stringify(app.swagger())
  })
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', jsonType).send(document),
  )
  // Who opens the address that the start printed finds something to read.
  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.redirect('/docs/'),
  )
  await app.register(async (scope) => {
    // The page runs its own script and styles, and asks where the document sends it: its policy is its own, and only its own.
    scope.addHook('onSend', async (_request, reply) => {
      reply.header(
        'content-security-policy',
        `default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src ${reachable}; frame-ancestors 'none'`,
      )
    })
    for (const url of ['/docs', '/docs/', '/docs/js/scalar.js']) {
      scope.get(url, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
        const { statusCode, headers, rawPayload } = await referenceAt(url)
        if (headers.location !== undefined) reply.header('location', headers.location)
        if (headers['content-type'] !== undefined) reply.header('content-type', headers['content-type'])
        return reply.code(statusCode).send(rawPayload)
      })
    }
  })
}

let loaded: Promise<FastifyInstance> | null = null

const answers = new Map<string, Promise<LightMyRequestResponse>>()

/**
 * The package holds its script as one text: 40 MB of memory, which only those pay who open the page. Everybody is sent
 * the same bytes: who asks a thousand times and reads none of it fills no memory.
 */
function referenceAt(url: string): Promise<LightMyRequestResponse> {
  loaded ??= loadReferencePage()
  const answer = answers.get(url) ?? loaded.then((page) => page.inject(url))
  answers.set(url, answer)
  return answer
}

async function loadReferencePage(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const page = Fastify()
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      // Requests go to where the page came from, be it a tunnel or another name of this machine than BASE_URL.
      servers: [{ url: '/' }],
      pageTitle: 'Purser API',
      favicon: 'data:,',
      withDefaultFonts: false,
      telemetry: false,
      // Nothing on the page talks to anybody but this service.
      showDeveloperTools: 'never',
      hideClientButton: true,
      authentication: { securitySchemes: { sandbox: { username: 'simulator' } } },
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  return page
}
