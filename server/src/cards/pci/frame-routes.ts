import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { toErrorResponse } from '../../platform/http/errors.ts'
import { respondOnlyAt } from '../../platform/http/own-host.ts'
import { languageOf, sendPage, servePages, urlOf } from '../../platform/http/pages.ts'
import { cardPage, errorPage, shownSeconds, tokenPage } from './frame.ts'
import { openView } from './pci.ts'
import { frameAncestors } from './rules.ts'

const path = '/pci/frame'
const maxBodyBytes = 1024

/**
 * The routes of the secure frame. They serve HTML pages, so the OpenAPI document does not list them. They set their own
 * security policy: pages of the programme and of the view's partner may embed the frame, but their scripts cannot fetch
 * it. In production the routes respond only to the host of PCI_URL.
 */
export function frameRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.register(async (frame) => {
    servePages(frame)
    if (ctx.config.separatesHosts) respondOnlyAt(frame, ctx.config.servers.pci)
    frame.removeAllContentTypeParsers()
    frame.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxBodyBytes },
      async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
    )
    frame.addHook('onRequest', async (request) => {
      // The header says how the page uses the response. Scripts of a page cannot read a response in its iframe.
      const use = request.headers['sec-fetch-dest']
      if (use !== undefined && use !== 'iframe') throw new Refusal('FRAME_ONLY')
    })
    frame.setErrorHandler((error: FastifyError, request, reply) => {
      const { status, code, message } = toErrorResponse(error, request)
      return sendPage(reply.code(status), errorPage(languageOf(request), code, message, formOf(request).embedder))
    })

    // The partner is unknown until the token is submitted, and this page has no card data.
    frame.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) =>
      sendPage(reply, tokenPage(languageOf(request), urlOf(request).searchParams.get('embedder') ?? '')),
    )
    frame.post(path, { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const { token, embedder } = formOf(request)
      const { shown, domains } = await openView(ctx, token)
      reply.header('refresh', `${shownSeconds};url=${endOf(request, embedder)}`)
      return sendPage(reply, cardPage(languageOf(request), shown, embedder), frameAncestors(domains))
    })
  })
}

/**
 * Reads the form. The embedder only receives messages without card data, and only if the browser confirms its origin.
 */
function formOf({ body }: FastifyRequest): { token: string; embedder: string } {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams()
  return { token: form.get('token') ?? '', embedder: form.get('embedder') ?? '' }
}

/** Returns the URL of the page that ends the view. It names the embedder, because the refresh submits no form. */
function endOf(request: FastifyRequest, embedder: string): string {
  const { pathname, searchParams } = urlOf(request)
  searchParams.set('embedder', embedder)
  return `${pathname}?${searchParams}`
}
