import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { readWholeHistory } from '../card-history/card-history.ts'
import { WholeHistoryRecord, wholeHistoryRecord } from '../card-history/schemas.ts'
import type { Ctx } from '../context.ts'
import { DecisionRecord, decisionRecord } from '../operators/decision-schemas.ts'
import { ListQuery, listBody, listOf } from '../operators/pages.ts'
import { requireOperator } from '../platform/http/access.ts'
import { nullable, oneOf, plainErrors, ref, Uuid } from '../platform/http/schemas.ts'
import { StatementItem } from '../statement-items/schemas.ts'
import { hitKinds, matchedNames, searchByName } from './search.ts'
import {
  PersonalDataReadRecord,
  personalDataRead,
  RevealedRecord,
  revealedRecord,
  UserCard,
  UserEventRecord,
  UserRecord,
  UserSummary,
  userCard,
  userEvent,
  userRecord,
  userSummary,
} from './user-schemas.ts'
import {
  listAllUsers,
  listCardsOfUser,
  listDecisionsAbout,
  listEventsOfUser,
  listPersonalDataReads,
  listStatementOf,
  readUserDetails,
  revealUser,
} from './users.ts'
import { listDepositsOfUser, listWithdrawalsOfUser } from './work.ts'
import { DepositRecord, depositRecord, PayoutRecord, payoutRecord } from './work-schemas.ts'

const tags = ['Operator']
const UserPath = Type.Object({ userId: Uuid })
const listErrors = plainErrors(400, 'INVALID_CURSOR')
const userErrors = plainErrors(400, 'USER_NOT_FOUND')
const userListErrors = plainErrors(400, 'INVALID_CURSOR', 'USER_NOT_FOUND')

const Hit = Type.Object(
  {
    kind: oneOf(hitKinds),
    id: Type.String(),
    userId: nullable(Uuid),
    partnerId: nullable(Uuid),
    matched: oneOf(matchedNames, { description: 'The kind of value that matched the search text.' }),
  },
  { title: 'SearchHit' },
)

/** Routes for one user, and for finding one. */
export function operatorUserRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/operator/search',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'Search by an exact value',
        description:
          'Finds ids, wallets, deposit addresses, email addresses, authorization codes, transaction hashes, names of partners, and cards as `1234 12/29` (last digits and expiry). Returns at most 20 hits of each kind.',
        operationId: 'operator.search',
        querystring: Type.Object({ q: Type.String({ minLength: 1, maxLength: 200 }) }),
        response: { 200: Type.Object({ data: Type.Array(Hit) }), ...plainErrors(400) },
      },
    },
    async (request) => ({ data: [...(await searchByName(ctx, request.query.q))] }),
  )

  app.get(
    '/operator/users',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'List users, newest first',
        operationId: 'operator.users.list',
        querystring: ListQuery,
        response: { 200: listOf(UserSummary), ...listErrors },
      },
    },
    async (request) => listBody(await listAllUsers(ctx, request.query), userSummary),
  )

  app.get(
    '/operator/users/:userId',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'Get a user with masked personal data',
        operationId: 'operator.users.get',
        params: UserPath,
        response: { 200: UserRecord, ...userErrors },
      },
    },
    async (request) => userRecord(await readUserDetails(ctx, request.params.userId)),
  )

  app.post(
    '/operator/users/:userId/reveal',
    {
      config: { access: 'operator', may: 'users:reveal', limited: 'proof' },
      schema: {
        tags,
        summary: 'Reveal the personal data of a user',
        description: 'Records who read the data, and why. Every request is recorded, so `Idempotency-Key` is ignored.',
        operationId: 'operator.users.reveal',
        params: UserPath,
        body: Type.Object({
          reason: Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000]*\\S[^\\u0000]*$' }),
        }),
        response: { 200: RevealedRecord, ...userErrors, ...plainErrors(413, 415) },
      },
    },
    async (request) =>
      revealedRecord(await revealUser(ctx, requireOperator(request), request.params.userId, request.body.reason)),
  )

  app.get(
    '/operator/reads',
    {
      config: { access: 'operator', may: 'reads:read' },
      schema: {
        tags,
        summary: 'List reads of personal data, newest first',
        operationId: 'operator.reads.list',
        querystring: Type.Object({ ...ListQuery.properties, userId: Type.Optional(Type.String({ format: 'uuid' })) }),
        response: { 200: listOf(PersonalDataReadRecord), ...listErrors },
      },
    },
    async (request) => listBody(await listPersonalDataReads(ctx, request.query), personalDataRead),
  )

  app.get(
    '/operator/users/:userId/cards',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'List the cards of a user',
        operationId: 'operator.users.listCards',
        params: UserPath,
        response: { 200: Type.Object({ data: Type.Array(UserCard) }), ...userErrors },
      },
    },
    async (request) => ({ data: (await listCardsOfUser(ctx, request.params.userId)).map(userCard) }),
  )

  app.get(
    '/operator/users/:userId/statement',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'List the statement of a user',
        operationId: 'operator.users.listStatement',
        params: UserPath,
        querystring: ListQuery,
        response: { 200: listOf(ref(StatementItem)), ...userListErrors },
      },
    },
    async (request) =>
      listBody(await listStatementOf(ctx, request.params.userId, request.query), ({ item }) => JSON.parse(item)),
  )

  app.get(
    '/operator/users/:userId/deposits',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'List the deposits of a user',
        operationId: 'operator.users.listDeposits',
        params: UserPath,
        querystring: ListQuery,
        response: { 200: listOf(DepositRecord), ...userListErrors },
      },
    },
    async (request) => listBody(await listDepositsOfUser(ctx, request.params.userId, request.query), depositRecord),
  )

  app.get(
    '/operator/users/:userId/withdrawals',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'List the withdrawals and returns of a user',
        operationId: 'operator.users.listWithdrawals',
        params: UserPath,
        querystring: ListQuery,
        response: { 200: listOf(PayoutRecord), ...userListErrors },
      },
    },
    async (request) => listBody(await listWithdrawalsOfUser(ctx, request.params.userId, request.query), payoutRecord),
  )

  app.get(
    '/operator/users/:userId/events',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'List the published events of a user',
        operationId: 'operator.users.listEvents',
        params: UserPath,
        querystring: ListQuery,
        response: { 200: listOf(UserEventRecord), ...userListErrors },
      },
    },
    async (request) => listBody(await listEventsOfUser(ctx, request.params.userId, request.query), userEvent),
  )

  app.get(
    '/operator/users/:userId/decisions',
    {
      config: { access: 'operator', may: 'decisions:read' },
      schema: {
        tags,
        summary: 'List the decisions about a user',
        operationId: 'operator.users.listDecisions',
        params: UserPath,
        querystring: ListQuery,
        response: { 200: listOf(DecisionRecord), ...userListErrors },
      },
    },
    async (request) => listBody(await listDecisionsAbout(ctx, request.params.userId, request.query), decisionRecord),
  )

  app.get(
    '/operator/users/:userId/card-transactions/:cardTransactionId',
    {
      config: { access: 'operator', may: 'users:read' },
      schema: {
        tags,
        summary: 'Get the whole history of a card transaction',
        operationId: 'operator.users.getCardTransaction',
        params: Type.Object({ userId: Uuid, cardTransactionId: Uuid }),
        response: { 200: WholeHistoryRecord, ...plainErrors(400, 'CARD_TRANSACTION_NOT_FOUND') },
      },
    },
    async (request) =>
      wholeHistoryRecord(await readWholeHistory(ctx, request.params.userId, request.params.cardTransactionId)),
  )
}
