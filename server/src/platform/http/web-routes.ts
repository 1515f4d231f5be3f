import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { sandboxPassword as documentedPassword } from '../../config/secrets.ts'
import type { Clock } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { isSentTo } from './own-host.ts'
import { escapeHtml } from './pages.ts'

/**
 * The pages of `web/`, built into static files. Each page is one document, and its script handles the paths below it.
 */
const pages = ['app', 'console'] as const
type PageName = (typeof pages)[number]

const yearSeconds = 365 * 24 * 3600

const options = { config: { access: 'public' }, schema: { hide: true } } as const

type Parts = { readonly config: Config; readonly clock: Clock }

/**
 * Serves the owner's app, the console and the documentation. `/` redirects a browser to the console in a sandbox,
 * otherwise to the documentation. Without a build in `root`, there are no pages.
 */
export async function serveWeb(app: FastifyInstance, { config, clock }: Parts, root: string): Promise<void> {
  const documents = readDocuments(root)
  const others = documents === null ? '/openapi.json' : '/docs/'
  const front = documents !== null && config.mode === 'sandbox' ? '/console/' : others
  // A script on the origin of the secure frame could read card numbers, so that host has no other page.
  const hasFrame = (request: FastifyRequest) => config.separatesHosts && isSentTo(request, config.servers.pci)
  // A script on the origin of the console could use an operator's cookie, so that host does not serve the app.
  // It still serves the documentation, which operators read.
  const isForOperators = (request: FastifyRequest) =>
    config.separatesHosts && config.operatorApi && isSentTo(request, config.servers.console)
  app.addHook('onRequest', async (request) => {
    const isApp = /^\/app(\/|$)/.test(request.routeOptions.url ?? '')
    if (hasFrame(request) || (isApp && isForOperators(request))) throw new Refusal('NOT_FOUND')
  })
  app.get('/', options, async ({ headers: { accept = '' } }, reply) =>
    reply.redirect(accept.includes('text/html') ? front : others),
  )
  if (documents === null) return
  await app.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: join(root, 'assets'),
      serve: false,
      preCompressed: true,
      dotfiles: 'deny',
    })
    const policy = policyOf(config)
    const referencePolicy = referencePolicyOf(config)
    const sendDocument = (name: PageName) => async (request: FastifyRequest, reply: FastifyReply) =>
      reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(withFacts(documents[name], factsOf(config, clock, request.host)))

    scope.addHook('onSend', async (request, reply) => {
      const { url } = request.routeOptions
      if (url === '/docs/reference/') reply.header('content-security-policy', referencePolicy)
      else if (!url?.startsWith('/assets/')) reply.header('content-security-policy', policy)
    })
    for (const name of pages) {
      scope.get(`/${name}`, options, async (_request, reply) => reply.redirect(`/${name}/`, 301))
      scope.get(`/${name}/*`, options, sendDocument(name))
    }
    const assets = new Set(readdirSync(join(root, 'assets')))
    // The name of an asset contains the hash of its content.
    scope.get<{ Params: { name: string } }>('/assets/:name', options, async ({ params }, reply) => {
      if (!assets.has(params.name)) throw new Refusal('NOT_FOUND')
      reply.header('cache-control', `public, max-age=${yearSeconds}, immutable`)
      return reply.sendFile(params.name, { cacheControl: false })
    })
    serveDocumentation(scope, config, documents.reference, join(root, 'docs'))
  })
}

/**
 * Serves the documentation. Its pages are revalidated; the files that they load have the hash of their content in the
 * name.
 */
function serveDocumentation(scope: FastifyInstance, config: Config, html: string, root: string): void {
  const files = new Set(
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll(sep, '/')),
  )
  const isSandbox = config.mode === 'sandbox'
  // The page is public, so it knows only the documented password.
  const simulatorPassword = isSandbox && config.sandboxPassword === documentedPassword ? documentedPassword : null
  const referenceOn = (host: string) =>
    withFacts(html, { mode: config.mode, simulatorPassword, hasOperators: servesOperators(config, host) })
  scope.get('/docs', options, async (_request, reply) => reply.redirect('/docs/', 301))
  scope.get('/llms.txt', options, async (_request, reply) => reply.redirect('/docs/llms.txt', 301))
  scope.get('/docs/reference/', options, async ({ host }, reply) =>
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(referenceOn(host)),
  )
  scope.get<{ Params: { '*': string } }>('/docs/*', options, async ({ params }, reply) => {
    const path = params['*']
    if (files.has(`${path}/index.html`)) return reply.redirect(`/docs/${path}/`, 301)
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
    if (!files.has(file) || !/\.\w+$/.test(file)) throw new Refusal('NOT_FOUND')
    const isHashed = file.startsWith('assets/')
    reply.header('cache-control', isHashed ? `public, max-age=${yearSeconds}, immutable` : 'no-cache')
    return reply.sendFile(file, root, { cacheControl: false })
  })
}

type Documents = Readonly<Record<PageName | 'reference', string>>

/** Returns the documents of the pages, without facts; null: they were not built. */
function readDocuments(root: string): Documents | null {
  const read = (name: string) => readFileSync(join(root, name, 'index.html'), 'utf8')
  try {
    return { app: read('app'), console: read('console'), reference: read('docs/reference') }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Returns the facts about this service that the pages need. Only a sandbox has a clock that is ahead. */
function factsOf(config: Config, clock: Clock, host: string) {
  const { servers, mode } = config
  const elsewhere = (url: string) => (url === servers.base ? null : url)
  return {
    mode,
    apiUrl: elsewhere(servers.api),
    authModuleUrl: elsewhere(servers.authModule),
    hasOperators: servesOperators(config, host),
    clockAheadMilliseconds: mode === 'sandbox' ? clock.now().getTime() - Date.now() : 0,
  }
}

function withFacts(html: string, facts: object): string {
  return html.replace(
    '<meta name="purser" content="{}"',
    `<meta name="purser" content="${escapeHtml(JSON.stringify(facts))}"`,
  )
}

/**
 * Operators work on a host of their own, whose name the pages for users do not mention. A sandbox has one host for all.
 */
function servesOperators({ operatorApi, separatesHosts, servers }: Config, host: string): boolean {
  return operatorApi && (!separatesHosts || host === new URL(servers.console).host)
}

/**
 * Returns the sources that a page of this service may send requests to: its own origin, and those of API_URL and
 * AUTH_MODULE_URL.
 */
function reachableFrom({ servers }: Config): string {
  const others = [servers.api, servers.authModule].filter((url) => url !== servers.base)
  return ["'self'", ...new Set(others.map((url) => new URL(url).origin))].join(' ')
}

/** Returns the policy of the API reference, whose library writes styles into the page and builds its HTML from text. */
function referencePolicyOf(config: Config): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${reachableFrom(config)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Returns the policy of the pages. They run only their own files, and send requests only to this service. */
function policyOf(config: Config): string {
  const frames = new URL(config.servers.pci).origin
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${reachableFrom(config)}`,
    `frame-src ${frames}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
