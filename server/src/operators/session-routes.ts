import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import {
  type OperatorPermission,
  operatorPermissions,
  operatorRoles,
  permissionsOfRole,
} from '../lib/operator-permission.ts'
import { type OperatorCaller, requireOperator } from '../platform/http/access.ts'
import {
  Address,
  DateTime,
  Done,
  done,
  nullable,
  oneOf,
  plainErrors,
  signedMessage,
  signInErrors,
  Uuid,
} from '../platform/http/schemas.ts'
import { clientOf } from '../platform/net/client-address.ts'
import { ListQuery, listBody, listOf } from './pages.ts'
import { isFromConsole, sessionCookie } from './rules.ts'
import { endOperatorSession, endOwnSessions, listOperatorSessions, signInOperator } from './sessions.ts'

const tags = ['Operator']
const via = oneOf(['cookie', 'bearer'], {
  description: 'How the token of the session travels: in a cookie, or as a bearer token.',
})

const Permission = oneOf(Object.keys(operatorPermissions) as OperatorPermission[], { title: 'OperatorPermission' })

const Me = Type.Object(
  {
    address: Address,
    personId: Type.String({ ...Uuid, description: 'The same for all wallets of a person.' }),
    name: Type.String(),
    role: oneOf(operatorRoles),
    permissions: Type.Array(Permission, { description: 'docs/operators.md lists the permissions of each role.' }),
    sessionId: Uuid,
    expiresAt: DateTime,
  },
  { title: 'OperatorMe' },
)

const Session = Type.Object(
  {
    sessionId: Uuid,
    address: Address,
    via,
    signedInAt: DateTime,
    usedAt: DateTime,
    expiresAt: DateTime,
    isCurrent: Type.Boolean({ description: 'Whether this request belongs to the session.' }),
  },
  { title: 'OperatorSession' },
)

function meOf({ address, personId, name, role, sessionId, expiresAt }: OperatorCaller) {
  const permissions = permissionsOfRole(role)
  return { address, personId, name, role, permissions, sessionId, expiresAt: expiresAt.toISOString() }
}

/** Routes for signing in as an operator, and for sessions. */
export function operatorSessionRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const origin = ctx.config.servers.console

  app.post(
    '/operator/session',
    {
      config: { access: 'public', server: 'console', errors: 'sign-in', limited: 'sign-in' },
      bodyLimit: 32 * 1024,
      schema: {
        tags,
        summary: 'Sign in as an operator',
        description:
          'Exchanges a signed message for a session. The message has a nonce from `GET /api/v1/auth/nonce`, the domain of the console, and the URI `<origin of the console>/operator/session`. With `cookie`, the token goes into an HttpOnly cookie, and the request must come from the console. The session ends after 15 minutes without a request, or after 8 hours. After a 401 or 429, request a new nonce. `Idempotency-Key` is ignored.',
        operationId: 'operator.signIn',
        body: Type.Object({
          ...signedMessage('the operator').properties,
          via: Type.Optional(via),
        }),
        response: {
          200: Type.Object({
            token: nullable(
              Type.String({ description: 'The token for the header `Authorization: Bearer`. Null with `cookie`.' }),
            ),
            operator: Me,
          }),
          ...signInErrors(
            'INVALID_NONCE',
            'NONCE_EXPIRED',
            'NONCE_USED',
            'DOMAIN_NOT_ALLOWED',
            'MESSAGE_EXPIRED',
            'MESSAGE_NOT_YET_VALID',
            'NOT_AN_OPERATOR',
          ),
          ...plainErrors(400, 413, 415, 502, 'ORIGIN_NOT_ALLOWED'),
        },
      },
    },
    async (request, reply) => {
      const { via = 'bearer', ...signed } = request.body
      if (via === 'cookie' && !isFromConsole(request.method, request.headers, origin))
        throw new Refusal('ORIGIN_NOT_ALLOWED')
      const admit = (wallet: string) => app.countLimited(request, 'sign-in', 'wallet', wallet)
      const client = clientOf(request)
      const { token, operator } = await signInOperator(ctx, signed, {
        ...{ via, admit, client },
        hostname: request.hostname,
      })
      if (via === 'cookie') reply.header('set-cookie', sessionCookie(origin, token))
      return { token: via === 'cookie' ? null : token, operator: meOf(operator) }
    },
  )

  app.get(
    '/operator/me',
    {
      config: { access: 'operator', may: 'session' },
      schema: { tags, summary: 'Get the signed-in operator', operationId: 'operator.getMe', response: { 200: Me } },
    },
    async (request) => meOf(requireOperator(request)),
  )

  app.get(
    '/operator/sessions',
    {
      config: { access: 'operator', may: 'session' },
      schema: {
        tags,
        summary: 'List the open sessions, newest first',
        description:
          "Lists the sessions of the caller's wallet. The roles `admin` and `auditor` see those of all operators.",
        operationId: 'operator.sessions.list',
        querystring: ListQuery,
        response: { 200: listOf(Session), ...plainErrors(400, 'INVALID_CURSOR') },
      },
    },
    async (request) => {
      const caller = requireOperator(request)
      const listed = await listOperatorSessions(ctx, caller, request.query)
      return listBody(listed, ({ sessionId, address, via, createdAt, usedAt, expiresAt }) => ({
        ...{ sessionId, address, via },
        signedInAt: createdAt.toISOString(),
        usedAt: usedAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        isCurrent: sessionId === caller.sessionId,
      }))
    },
  )

  app.delete(
    '/operator/sessions',
    {
      config: { access: 'operator', may: 'session' },
      schema: {
        tags,
        summary: "End all sessions of the caller's wallet",
        operationId: 'operator.sessions.endAll',
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      await endOwnSessions(ctx, requireOperator(request))
      reply.header('set-cookie', sessionCookie(origin, ''))
      return done
    },
  )

  app.delete(
    '/operator/sessions/:sessionId',
    {
      config: { access: 'operator', may: 'session' },
      schema: {
        tags,
        summary: 'End a session',
        description: "Ends a session of the caller's wallet. The role `admin` can end those of all operators.",
        operationId: 'operator.sessions.end',
        params: Type.Object({ sessionId: Uuid }),
        response: { 200: Done, ...plainErrors(400, 'SESSION_NOT_FOUND') },
      },
    },
    async (request, reply) => {
      const caller = requireOperator(request)
      const { sessionId } = request.params
      await endOperatorSession(ctx, caller, sessionId)
      if (sessionId === caller.sessionId) reply.header('set-cookie', sessionCookie(origin, ''))
      return done
    },
  )
}
