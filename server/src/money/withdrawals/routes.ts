import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { readAddress } from '../../lib/address.ts'
import { requireUser } from '../../platform/http/access.ts'
import { Address, Amount, DateTime, plainErrors, ref, TxHash, Uuid } from '../../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../../platform/idempotency/idempotency.ts'
import { WithdrawalItem } from '../../statement-items/schemas.ts'
import { cancelWithdrawal, requireReadPayouts } from './cancel-withdrawal.ts'
import { listWithdrawals, readWithdrawal, requestWithdrawal } from './withdrawals.ts'

const WithdrawalRequest = Type.Object(
  {
    tokenAddress: Type.Unsafe<string>({
      ...Address,
      description: 'The address of a configured token, in lower case or with an EIP-55 checksum.',
    }),
    amount: Type.String({
      pattern: '^[1-9][0-9]*$',
      description: 'The amount in token units.',
      examples: ['1000000000000000000'],
    }),
  },
  { title: 'WithdrawalRequest' },
)

const WithdrawalRecord = Type.Object({
  txHash: TxHash,
  amount: Amount,
  currency: Type.String({ description: "The token's symbol.", examples: ['EURe'] }),
  createdAt: DateTime,
})

export function withdrawalRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  const description =
    'The wallet that signed in is the payee. A withdrawal that the payout wallet cannot pay at once waits as `pending`. Follow it with GET /user/withdrawals/{withdrawalId}, or in GET /user/statement, where `withdrawalId` is the `id` of its item. GET /user/withdrawals lists it once it has a transaction.'
  const alias = 'Request a withdrawal (alias of POST /user/withdrawal)'
  for (const [path, server, documented] of [
    ['/user/withdrawal', 'base', { operationId: 'withdrawals.create', summary: 'Request a withdrawal', description }],
    ['/user/withdrawals', 'authModule', { operationId: 'withdrawals.createAlias', summary: alias }],
  ] as const) {
    app.post(
      path,
      {
        config: { access: 'user', server, limited: 'withdrawal', keepsResponses: true },
        schema: {
          headers: KeyHeader,
          tags: ['User Movements'],
          ...documented,
          body: WithdrawalRequest,
          response: {
            201: Type.Object({ withdrawalId: Uuid }),
            ...plainErrors(
              400,
              'ACCOUNT_NOT_FOUND',
              'ACCOUNT_NOT_ACTIVE',
              'TOKEN_NOT_SUPPORTED',
              'INSUFFICIENT_FUNDS',
              'WITHDRAWAL_TOO_SMALL',
              'DAILY_LIMIT_EXCEEDED',
              'PAYEE_NOT_ON_CHAIN',
              'IDEMPOTENCY_KEY_REUSED',
            ),
          },
        },
      },
      async (request, reply) => {
        const caller = requireUser(request)
        const { tokenAddress, amount } = request.body
        const wanted = { tokenAddress: readAddress(tokenAddress, 'body/tokenAddress'), amount: BigInt(amount) }
        return respondOnce(ctx, request, reply, caller.userId, async (tx) => ({
          status: 201,
          body: { withdrawalId: await requestWithdrawal(ctx, tx, caller, wanted) },
        }))
      },
    )
  }

  app.get(
    '/user/withdrawals',
    {
      config: { access: 'user', server: 'authModule' },
      schema: {
        tags: ['User Movements'],
        summary: 'List withdrawals',
        description:
          'Returns the 1,000 newest withdrawals that have a transaction, newest first. These records have no `withdrawalId`. GET /user/statement contains all withdrawals with their `id`, and GET /user/withdrawals/{withdrawalId} has the status of one.',
        operationId: 'withdrawals.list',
        response: { 200: Type.Object({ data: Type.Array(WithdrawalRecord) }), ...plainErrors('ACCOUNT_NOT_FOUND') },
      },
    },
    async (request) => ({
      data: (await listWithdrawals(ctx, requireUser(request))).map((withdrawal) => ({
        txHash: withdrawal.txHash,
        amount: String(withdrawal.amount),
        currency: withdrawal.symbol,
        createdAt: withdrawal.createdAt.toISOString(),
      })),
    }),
  )

  const params = Type.Object({ withdrawalId: Uuid })

  app.get(
    '/user/withdrawals/:withdrawalId',
    {
      config: { access: 'user' },
      schema: {
        tags: ['User Movements'],
        summary: 'Get a withdrawal',
        operationId: 'withdrawals.get',
        params,
        response: { 200: ref(WithdrawalItem), ...plainErrors(400, 'WITHDRAWAL_NOT_FOUND') },
      },
    },
    async (request) => readWithdrawal(ctx, requireUser(request), request.params.withdrawalId),
  )

  app.post(
    '/user/withdrawals/:withdrawalId/cancel',
    {
      config: { access: 'user', keepsResponses: true },
      schema: {
        headers: KeyHeader,
        tags: ['User Movements'],
        summary: 'Cancel a pending withdrawal',
        description:
          'Credits the amount back to the balance. The withdrawal becomes `failed`. A withdrawal that is being paid cannot be canceled. Safe to repeat.',
        operationId: 'withdrawals.cancel',
        params,
        response: {
          200: Type.Object({ withdrawalId: Uuid, status: Type.Literal('failed') }),
          ...plainErrors(400, 'WITHDRAWAL_NOT_FOUND', 'WITHDRAWAL_NOT_CANCELABLE', 'IDEMPOTENCY_KEY_REUSED', 502),
        },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      const withdrawalId = request.params.withdrawalId.toLowerCase()
      // This calls the chain, so it runs before the transaction.
      await requireReadPayouts(ctx, caller, withdrawalId)
      return respondOnce(ctx, request, reply, caller.userId, async (tx) => {
        await cancelWithdrawal(ctx, tx, caller, withdrawalId)
        return { status: 200, body: { withdrawalId, status: 'failed' } }
      })
    },
  )
}
