import type { FastifyInstance } from 'fastify'

/**
 * The server of the playground's partner. It accepts every webhook and keeps none, so that a newcomer sees deliveries
 * without a server of their own.
 */
export function sandboxWebhookRoutes(app: FastifyInstance): void {
  app.post(
    '/sandbox/webhooks/receiver',
    { config: { access: 'public' }, schema: { hide: true } },
    async (_request, reply) => reply.status(204).send(),
  )
}
