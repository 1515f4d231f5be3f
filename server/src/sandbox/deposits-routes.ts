import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { readAddress } from '../lib/address.ts'
import { applyScreeningResultById } from '../money/deposits/deposits.ts'
import { Address, oneOf, plainErrors, TxHash, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce, respondOnceWithLease, sandboxScope } from '../platform/idempotency/idempotency.ts'
import { controlsOf, simulateDeposit } from './sandbox.ts'

const DepositRequest = Type.Object({
  userId: Uuid,
  token: Type.Unsafe<string>({ ...Address, description: 'The address of the token. See GET /sandbox/tokens.' }),
  amount: Type.String({
    pattern: '^[1-9][0-9]*$',
    maxLength: 60,
    description: 'In token units.',
    examples: ['100000000000000000000'],
  }),
  result: Type.Optional(
    oneOf(['approved', 'rejected', 'pending'], { description: 'The screening result. The default is `approved`.' }),
  ),
  final: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'With `false`, the response is sent once the transfer is detected. The sandbox then mines no block for 30 seconds, so that requests can mine or replace blocks.',
    }),
  ),
})

const ScreeningResult = Type.Object({ result: oneOf(['approved', 'rejected']) })

export function sandboxDepositRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/sandbox/deposits',
    {
      config: { access: 'sandbox', keepsResponses: true },
      schema: {
        headers: KeyHeader,
        tags: ['Sandbox'],
        summary: 'Send tokens to an account',
        description: 'Detects, finalizes and screens the transfer like any other, then responds.',
        operationId: 'sandbox.deposits.create',
        body: DepositRequest,
        response: {
          201: Type.Object({ depositId: Uuid, txHash: TxHash }),
          ...plainErrors(
            400,
            'ACCOUNT_NOT_FOUND',
            'USER_NOT_FOUND',
            'REQUEST_IN_PROGRESS',
            'TOKEN_NOT_SUPPORTED',
            'IDEMPOTENCY_KEY_REUSED',
            502,
          ),
        },
      },
    },
    async (request, reply) => {
      const { userId, token, amount, result = 'approved', final: isFinal = true } = request.body
      const deposit = { userId, token: readAddress(token, 'body/token'), amount: BigInt(amount), result, isFinal }
      return respondOnceWithLease(ctx, request, reply, sandboxScope, async (refId) => ({
        status: 201,
        body: await simulateDeposit(ctx, refId, deposit),
      }))
    },
  )

  app.post(
    '/sandbox/deposits/:depositId/screening',
    {
      config: { access: 'sandbox', keepsResponses: true },
      schema: {
        headers: KeyHeader,
        tags: ['Sandbox'],
        summary: 'Set the screening result of a deposit',
        description:
          'Also overturns a rejection. Repeating a result changes nothing. An approval cannot be changed, nor can a deposit that a reorganization removed or whose return has begun.',
        operationId: 'sandbox.deposits.screen',
        params: Type.Object({ depositId: Uuid }),
        body: ScreeningResult,
        response: {
          200: Type.Object({ depositId: Uuid, status: oneOf(['pending', 'approved', 'rejected']) }),
          ...plainErrors(400, 'DEPOSIT_NOT_FOUND', 'INVALID_DEPOSIT_STATUS', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const result = controlsOf(ctx).screening.reportFor(request.body.result)
      const { depositId } = request.params
      return respondOnce(ctx, request, reply, sandboxScope, async (tx) => {
        const { status } = await applyScreeningResultById(ctx, tx, depositId.toLowerCase(), result)
        return { status: 200, body: { depositId: depositId.toLowerCase(), status } }
      })
    },
  )
}
