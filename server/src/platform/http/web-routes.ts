import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { Refusal } from '../../lib/errors.ts'
import { escapeHtml } from './pages.ts'

/** The pages of `web/`, built into static files. Each page is one document, and its script has the paths below it. */
const pages = ['app', 'console'] as const
type PageName = (typeof pages)[number]

const builtPages = join(import.meta.dirname, '../../../../web/dist')
const yearSeconds = 365 * 24 * 3600

/**
 * Serves the owner's app and the console. `/` leads a browser to the console of a sandbox, and else to the reference.
 * Without a build in `root`, there are no pages.
 */
export async function serveWeb(app: FastifyInstance, config: Config, root = builtPages): Promise<void> {
  const documents = readDocuments(config, root)
  const front = documents !== null && config.mode === 'sandbox' ? '/console/' : '/docs/'
  const options = { config: { access: 'public' }, schema: { hide: true } } as const
  app.get('/', options, async ({ headers: { accept = '' } }, reply) =>
    reply.redirect(accept.includes('text/html') ? front : '/docs/'),
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
    const sendDocument = (name: PageName) => async (request: FastifyRequest, reply: FastifyReply) =>
      reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(documents[servesOperators(config, request.host) ? 'operators' : 'others'][name])

    scope.addHook('onSend', async (request, reply) => {
      if (!request.routeOptions.url?.startsWith('/assets/')) reply.header('content-security-policy', policy)
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
  })
}

type Documents = Readonly<Record<'operators' | 'others', Readonly<Record<PageName, string>>>>

/** Returns the pages with the facts of this service, with and without the screens of operators; null: they were not built. */
function readDocuments({ servers, mode }: Config, root: string): Documents | null {
  const facts = { mode, apiUrl: elsewhere(servers.api), authModuleUrl: elsewhere(servers.authModule) }
  function elsewhere(url: string): string | null {
    return url === servers.base ? null : url
  }
  const read = (name: PageName, hasOperators: boolean) =>
    readFileSync(join(root, name, 'index.html'), 'utf8').replace(
      '<meta name="purser" content="{}"',
      `<meta name="purser" content="${escapeHtml(JSON.stringify({ ...facts, hasOperators }))}"`,
    )
  const readAll = (hasOperators: boolean) => ({
    app: read('app', hasOperators),
    console: read('console', hasOperators),
  })
  try {
    return { operators: readAll(true), others: readAll(false) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Operators work on a host of their own, whose name the pages for users do not mention. A sandbox has one host for all. */
function servesOperators({ operatorApi, mode, servers }: Config, host: string): boolean {
  return operatorApi && (mode === 'sandbox' || host === new URL(servers.console).host)
}

/** Returns the policy of the pages. They run only their own files, and send requests only to this service. */
function policyOf({ servers }: Config): string {
  const others = [servers.api, servers.authModule].filter((url) => url !== servers.base)
  const connect = ["'self'", ...new Set(others.map((url) => new URL(url).origin))].join(' ')
  const frames = new URL(servers.pci).origin
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect}`,
    `frame-src ${frames}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
