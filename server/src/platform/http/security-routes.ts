import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { plainErrors } from './schemas.ts'
import { securityText } from './security-txt.ts'

/** Serves the contact for vulnerability reports. A file without a contact would be invalid, so it is then omitted. */
export function securityRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/.well-known/security.txt',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Read the contact for reports of vulnerabilities',
        description: 'Returns the `security.txt` file of RFC 9116, or 404 if `SECURITY_CONTACT` is not set.',
        operationId: 'health.getSecurityText',
        response: {
          200: {
            description: 'The contact, and the time until which it is valid.',
            content: { 'text/plain': { schema: Type.String() } },
          },
          ...plainErrors('NOT_FOUND'),
        },
      },
    },
    async (_request, reply) => {
      const { securityContacts, servers } = ctx.config
      if (securityContacts.length === 0) throw new Refusal('NOT_FOUND')
      reply.header('content-type', 'text/plain; charset=utf-8').header('cache-control', 'public, max-age=3600')
      return reply.serializer(String).send(securityText(securityContacts, servers.base, ctx.clock.now()))
    },
  )
}
