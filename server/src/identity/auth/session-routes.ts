import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { requireCaller, requireUser } from '../../platform/http/access.ts'
import { Address, DateTime, Done, done, Uuid } from '../../platform/http/schemas.ts'
import { reportSecurity } from '../../platform/observability/security-events.ts'
import { listSessions, logOut, logOutEverywhere } from './sessions.ts'

const Session = Type.Object({
  sessionId: Type.String({ ...Uuid, description: 'The claim `jti` of its access tokens.' }),
  address: Address,
  domain: Type.String({ description: 'The domain of the sign-in message, which the wallet signed.' }),
  signedInAt: DateTime,
  expiresAt: DateTime,
  isCurrent: Type.Boolean({ description: 'Whether the access token of this request belongs to the session.' }),
})

export function sessionRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/user/sessions',
    {
      config: { access: 'user' },
      schema: {
        tags: ['Auth'],
        summary: "List the user's sessions, newest first",
        description:
          'Each sign-in begins a session. It ends when its access token expires, at a logout, when the wallet is removed, or when the user is closed. A wallet has at most 50 sessions: one more sign-in ends the earlier ones. The list has the sessions of all owners.',
        operationId: 'sessions.list',
        response: { 200: Type.Object({ data: Type.Array(Session) }) },
      },
    },
    async (request) => {
      const sessions = await listSessions(ctx, requireUser(request))
      return {
        data: sessions.map(({ signedInAt, expiresAt, ...session }) => ({
          ...session,
          signedInAt: signedInAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        })),
      }
    },
  )

  app.post(
    '/api/v1/auth/logout',
    {
      config: { access: 'wallet', server: 'api' },
      schema: {
        tags: ['Auth'],
        summary: 'End this session',
        description:
          'The access tokens of the session are revoked at once. A repeated request gets 401 `ACCESS_REVOKED`. `Idempotency-Key` is ignored.',
        operationId: 'auth.logOut',
        response: { 200: Done },
      },
    },
    async (request) => {
      await logOut(ctx, requireCaller(request))
      return done
    },
  )

  app.post(
    '/api/v1/auth/logout-all',
    {
      config: { access: 'wallet', server: 'api' },
      schema: {
        tags: ['Auth'],
        summary: 'End all sessions',
        description:
          'Ends all sessions of the user, of every owner. For a wallet without a user, ends all sessions of the wallet. Their access tokens are rejected from the next request on, so `Idempotency-Key` is ignored. Access tokens of later sign-ins work.',
        operationId: 'auth.logOutEverywhere',
        response: { 200: Done },
      },
    },
    async (request) => {
      const caller = requireCaller(request)
      await logOutEverywhere(ctx, caller)
      const { userId, signerAddress } = caller
      reportSecurity(ctx, 'sessions_ended', 'all', { reqId: request.id, userId, wallet: signerAddress })
      return done
    },
  )
}
