import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendRefusal } from './errors.ts'

/**
 * Answers paths that no route takes: 405 with `Allow` when another method has one, else 404. Always JSON. Must come before
 * the routes, and after whatever counts or guards every request.
 */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const routes: { methods: readonly string[]; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const path = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')
    routes.push({ methods: [method].flat(), pattern: new RegExp(`^${path}$`) })
  })
  app.setNotFoundHandler(answer)
  // Before the body is read: what is in it cannot matter.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answer(request, reply)
    else done()
  })

  function answer(request: FastifyRequest, reply: FastifyReply) {
    const path = request.url.split('?', 1)[0] ?? ''
    const allowed = new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))
    if (allowed.size === 0) return sendRefusal(request, reply, 'NOT_FOUND')
    reply.header('allow', [...allowed].sort().join(', '))
    return sendRefusal(request, reply, 'METHOD_NOT_ALLOWED')
  }
}
