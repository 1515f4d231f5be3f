import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { ListQuery, listBody, listOf } from '../operators/pages.ts'
import { DateTime, plainErrors, Uuid } from '../platform/http/schemas.ts'
import {
  BadRowRecord,
  LedgerAccountsRecord,
  ledgerAccountsRecords,
  MovementRecord,
  MovementSummary,
  movementRecord,
  movementSummary,
  RunRecord,
  runRecord,
} from './book-schemas.ts'
import { checkBooksOfUser, listMovements, listReconcileRuns, readLedgerAccounts, readMovement } from './books.ts'

const tags = ['Operator']
const UserPath = Type.Object({ userId: Uuid })
const userErrors = plainErrors(400, 'USER_NOT_FOUND')

/** Routes for the ledger and its checks. */
export function operatorBookRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/operator/users/:userId/movements',
    {
      config: { access: 'operator', may: 'ledger:read' },
      schema: {
        tags,
        summary: 'List the movements of a user, newest first',
        operationId: 'operator.users.listMovements',
        params: UserPath,
        querystring: ListQuery,
        response: { 200: listOf(MovementSummary), ...plainErrors(400, 'INVALID_CURSOR', 'USER_NOT_FOUND') },
      },
    },
    async (request) => listBody(await listMovements(ctx, request.params.userId, request.query), movementSummary),
  )

  app.get(
    '/operator/users/:userId/movements/:seq',
    {
      config: { access: 'operator', may: 'ledger:read' },
      schema: {
        tags,
        summary: 'Get a movement with its postings and seal',
        operationId: 'operator.users.getMovement',
        params: Type.Object({ userId: Uuid, seq: Type.String({ pattern: '^[0-9]{1,18}$' }) }),
        response: { 200: MovementRecord, ...plainErrors(400, 'MOVEMENT_NOT_FOUND') },
      },
    },
    async (request) => movementRecord(await readMovement(ctx, request.params.userId, BigInt(request.params.seq))),
  )

  app.get(
    '/operator/users/:userId/ledger-accounts',
    {
      config: { access: 'operator', may: 'ledger:read' },
      schema: {
        tags,
        summary: 'List the ledger accounts of a user',
        operationId: 'operator.users.listLedgerAccounts',
        params: UserPath,
        response: { 200: Type.Object({ data: Type.Array(LedgerAccountsRecord) }), ...userErrors },
      },
    },
    async (request) => ({
      data: ledgerAccountsRecords(await readLedgerAccounts(ctx, request.params.userId), ctx.config.tokens),
    }),
  )

  app.get(
    '/operator/reconciliation',
    {
      config: { access: 'operator', may: 'overview:read' },
      schema: {
        tags,
        summary: 'List the checks of the books, newest first',
        operationId: 'operator.reconciliation.list',
        querystring: ListQuery,
        response: { 200: listOf(RunRecord), ...plainErrors(400, 'INVALID_CURSOR') },
      },
    },
    async (request) => listBody(await listReconcileRuns(ctx, request.query), runRecord),
  )

  app.post(
    '/operator/reconciliation/users/:userId',
    {
      config: { access: 'operator', may: 'reconciliation:run', limited: 'proof' },
      schema: {
        tags,
        summary: 'Check the books of a user',
        description: 'Checks every invariant now, and stores nothing. `Idempotency-Key` is ignored.',
        operationId: 'operator.reconciliation.checkUser',
        params: UserPath,
        response: { 200: Type.Object({ checkedAt: DateTime, badRows: Type.Array(BadRowRecord) }), ...userErrors },
      },
    },
    async (request) => {
      const badRows = await checkBooksOfUser(ctx, request.params.userId)
      return { checkedAt: ctx.clock.now().toISOString(), badRows: [...badRows] }
    },
  )
}
