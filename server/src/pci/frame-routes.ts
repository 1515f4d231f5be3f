import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { judgeError } from '../http/errors.ts'
import { Refusal } from '../lib/refusal.ts'
import { currentDomains } from '../partners/domains.ts'
import { cardPage, doorPage, framePolicy, sorryPage } from './frame.ts'
import { openView } from './pci.ts'
import { frameAncestors } from './rules.ts'

const path = '/pci/frame'
const largestBodyBytes = 1024
/** After that the number goes from the screen by itself. */
const shownSeconds = 120

/**
 * The frame of card numbers: pages, so that they are in no API document. Its policy is its own, and so is who may read
 * it: partners' pages may embed it, and their scripts cannot fetch it.
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
    frame.addHook('onSend', async (_request, reply) => {
      reply.headers({
        'content-security-policy': `${framePolicy}; frame-ancestors ${frameAncestors(await currentDomains(ctx))}`,
        'cache-control': 'no-store',
      })
      for (const name of ['x-frame-options', 'access-control-allow-origin', 'access-control-expose-headers']) {
        reply.removeHeader(name)
      }
    })
    frame.setErrorHandler((error: FastifyError, request, reply) => {
      const { status, code, message } = judgeError(error, request)
      return sendPage(reply.code(status), sorryPage(code, message))
    })

    frame.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
      sendPage(reply, doorPage),
    )
    frame.post(path, { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const shown = await openView(ctx, typeof request.body === 'string' ? request.body : '')
      return sendPage(reply.header('refresh', `${shownSeconds};url=${path}`), cardPage(shown))
    })
  })
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.header('content-type', 'text/html; charset=utf-8').send(html)
}
