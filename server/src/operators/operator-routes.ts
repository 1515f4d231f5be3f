import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { operatorRoles } from '../lib/operator-permission.ts'
import { Address, DateTime, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { listOperators } from './operators.ts'
import { ListQuery, listBody, listOf } from './pages.ts'

const OperatorRecord = Type.Object(
  {
    address: Address,
    contractChainId: nullable(Type.Integer({ description: 'The chain of a wallet that is a contract.' })),
    personId: Type.String({ ...Uuid, description: 'The same for all wallets of a person.' }),
    name: Type.String(),
    role: oneOf(operatorRoles),
    addedBy: Type.String({
      description:
        'The operator who added this one: a wallet, a name given in the shell, or `sandbox` for the test operator.',
    }),
    createdAt: DateTime,
    removedAt: nullable(DateTime),
  },
  { title: 'Operator' },
)

export function operatorRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/operator/operators',
    {
      config: { access: 'operator', may: 'operators:read' },
      schema: {
        tags: ['Operator'],
        summary: 'List operators, the removed ones last',
        operationId: 'operator.operators.list',
        querystring: ListQuery,
        response: { 200: listOf(OperatorRecord), ...plainErrors(400, 'INVALID_CURSOR') },
      },
    },
    async (request) =>
      listBody(await listOperators(ctx, request.query), ({ createdAt, removedAt, ...operator }) => ({
        ...operator,
        createdAt: createdAt.toISOString(),
        removedAt: removedAt?.toISOString() ?? null,
      })),
  )
}
