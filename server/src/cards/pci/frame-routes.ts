import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { toErrorResponse } from '../../platform/http/errors.ts'
import { cardPage, errorPage, framePolicy, tokenPage } from './frame.ts'
import { openView } from './pci.ts'
import { frameAncestors } from './rules.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The domains that may embed the page; null: any, because the page has no card data. */
    framedBy: readonly string[] | null
  }
}

const path = '/pci/frame'
const maxBodyBytes = 1024
/** The time after which the page removes the card data by itself. */
const shownSeconds = 120

/**
 * The routes of the secure frame. They serve HTML pages, so the OpenAPI document does not list them. They set their own
 * security policy: pages of the requesting partner may embed the frame, but their scripts cannot fetch it.
 */
export function frameRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.register(async (frame) => {
    frame.removeAllContentTypeParsers()
    frame.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxBodyBytes },
      async (_request: FastifyRequest, body: string) => new URLSearchParams(body).get('token'),
    )
    frame.addHook('onRequest', async (request) => {
      // Browsers send the use of the response. In an iframe, scripts of the embedding page cannot read it.
      const use = request.headers['sec-fetch-dest']
      if (use !== undefined && use !== 'iframe') throw new Refusal('FRAME_ONLY')
    })
    // The partner is unknown until the token is submitted.
    frame.decorateReply('framedBy', null)
    frame.addHook('onSend', async (_request, reply) => {
      const ancestors = reply.framedBy === null ? '' : `; frame-ancestors ${frameAncestors(reply.framedBy)}`
      reply.headers({ 'content-security-policy': framePolicy + ancestors, 'cache-control': 'no-store' })
      for (const name of ['x-frame-options', 'access-control-allow-origin', 'access-control-expose-headers']) {
        reply.removeHeader(name)
      }
    })
    frame.setErrorHandler((error: FastifyError, request, reply) => {
      const { status, code, message } = toErrorResponse(error, request)
      return sendPage(reply.code(status), errorPage(code, message))
    })

    frame.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
      sendPage(reply, tokenPage),
    )
    frame.post(path, { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const { shown, domains } = await openView(ctx, typeof request.body === 'string' ? request.body : '')
      reply.framedBy = domains
      return sendPage(reply.header('refresh', `${shownSeconds};url=${path}`), cardPage(shown))
    })
  })
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.header('content-type', 'text/html; charset=utf-8').send(html)
}
