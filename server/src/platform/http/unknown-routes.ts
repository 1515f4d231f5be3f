import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { sendRefusal } from './errors.ts'

/**
 * Rejects requests that match no route: 405 with `Allow` when the path supports other methods on this host, else 404.
 * Must be registered before the routes, and after the hooks that limit every request.
 */
export function rejectUnknownRoutes(app: FastifyInstance): void {
  const routes: { route: RouteOptions; pattern: RegExp }[] = []
  app.addHook('onRoute', (route) => {
    const path = route.url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/:[A-Za-z]+/g, '[^/]+')
    routes.push({ route, pattern: new RegExp(`^${path}$`) })
  })
  app.setNotFoundHandler(reject)
  // Rejects before the body is read.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) reject(request, reply)
    else done()
  })

  function reject(request: FastifyRequest, reply: FastifyReply) {
    const path = request.url.split('?', 1)[0] ?? ''
    const isHere = ({ constraints: { host } = {} }: RouteOptions) => host === undefined || host === request.headers.host
    const matches = routes.filter(({ route, pattern }) => pattern.test(path) && isHere(route))
    const allowed = new Set(matches.flatMap(({ route }) => route.method))
    if (allowed.size === 0) return sendRefusal(request, reply, 'NOT_FOUND')
    reply.header('allow', [...allowed].sort().join(', '))
    return sendRefusal(request, reply, 'METHOD_NOT_ALLOWED')
  }
}
