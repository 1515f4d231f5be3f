import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { toErrorResponse } from '../../platform/http/errors.ts'
import { cardPage, doorPage, framePolicy, sorryPage } from './frame.ts'
import { openView } from './pci.ts'
import { frameAncestors } from './rules.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The domains whose pages may show the page; null: any, since there is nothing in it. */
    framedBy: readonly string[] | null
  }
}

const path = '/pci/frame'
const largestBodyBytes = 1024
/** After that the number goes from the screen by itself. */
const shownSeconds = 120

/**
 * The frame of card numbers: pages, so that they are in no API document. Their policy is their own, and so is who may
 * read them: pages of the partner that asked may embed what is shown, and their scripts cannot fetch it.
 */
export function frameRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.register(async (frame) => {
    frame.removeAllContentTypeParsers()
    frame.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: largestBodyBytes },
      async (_request: FastifyRequest, body: string) => new URLSearchParams(body).get('token'),
    )
    frame.addHook('onRequest', async (request) => {
      // A browser says what it will do with the answer. Only in a frame is it out of the reach of the page around.
      const use = request.headers['sec-fetch-dest']
      if (use !== undefined && use !== 'iframe') throw new Refusal('FRAME_ONLY')
    })
    // Whose frame it is, is not known before its token is handed in.
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
      return sendPage(reply.code(status), sorryPage(code, message))
    })

    frame.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
      sendPage(reply, doorPage),
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
