import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * The secure frame and the API of operators have hosts of their own, because no page of another host may share their
 * origin. The service enforces this itself, so a proxy that forwards too much exposes neither of them.
 */

/** Makes the routes of a scope respond only to the host of the URL. Call it before they are registered. */
export function respondOnlyAt(scope: FastifyInstance, url: string): void {
  const { host } = new URL(url)
  scope.addHook('onRoute', (route) => {
    route.constraints = { ...route.constraints, host }
  })
}

/** A domain has at most 253 characters, and a port five. Parsing a much longer host can take quadratic time. */
const maxHostLength = 260

/** Returns whether a browser counts the host of the request as the origin of the URL. */
export function isSentTo({ headers: { host = '' } }: Pick<FastifyRequest, 'headers'>, url: string): boolean {
  const { origin, protocol } = new URL(url)
  return host.length <= maxHostLength && URL.parse(`${protocol}//${host}`)?.origin === origin
}
