import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { listKeys } from '../identity/access-tokens/keys.ts'
import { partnerStatuses } from '../lib/partner-status.ts'
import { ListQuery, listBody, listOf } from '../operators/pages.ts'
import { AuditEntry, AuditQuery, auditEntry } from '../partners/schemas.ts'
import { DateTime, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { readSwitches } from '../switches/switches.ts'
import { PartnerRecord, partnerRecord } from './partner-schemas.ts'
import { listDomainPage, listPartnerAudit, listPartnerPage, readPartnerDetails } from './partners.ts'
import {
  depositStates,
  listChains,
  listDeadLetters,
  listPayoutPage,
  listReviewPage,
  listUnknownArrivalPage,
  listWaitingDeposits,
  payoutStates,
  readOverview,
} from './work.ts'
import {
  arrivalRecord,
  ChainRecord,
  chainRecord,
  DeadLetterRecord,
  DepositRecord,
  deadLetterRecord,
  depositRecord,
  PartnerSummary,
  PayoutRecord,
  partnerSummary,
  payoutRecord,
  ReviewRecord,
  reviewRecord,
  SignInDomainRecord,
  SwitchRecord,
  signInDomainRecord,
  WorkRecord,
  workRecord,
} from './work-schemas.ts'

const tags = ['Operator']
const listErrors = plainErrors(400, 'INVALID_CURSOR')

/** Routes for the work that waits, and for the parts of the service that operators control. */
export function operatorWorkRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/operator/overview',
    {
      config: { access: 'operator', may: 'overview:read' },
      schema: {
        tags,
        summary: 'List the kinds of work that wait',
        operationId: 'operator.overview',
        response: { 200: Type.Object({ data: Type.Array(WorkRecord) }) },
      },
    },
    async () => ({ data: (await readOverview(ctx)).map(workRecord) }),
  )

  app.get(
    '/operator/chains',
    {
      config: { access: 'operator', may: 'overview:read' },
      schema: {
        tags,
        summary: 'List the watched chains',
        operationId: 'operator.chains.list',
        response: { 200: Type.Object({ data: Type.Array(ChainRecord) }) },
      },
    },
    async () => ({ data: (await listChains(ctx)).map(chainRecord) }),
  )

  app.get(
    '/operator/reviews',
    {
      config: { access: 'operator', may: 'work:read' },
      schema: {
        tags,
        summary: 'List open reviews, oldest first',
        operationId: 'operator.reviews.list',
        querystring: ListQuery,
        response: { 200: listOf(ReviewRecord), ...listErrors },
      },
    },
    async (request) => listBody(await listReviewPage(ctx, request.query), reviewRecord),
  )

  app.get(
    '/operator/deposits',
    {
      config: { access: 'operator', may: 'work:read' },
      schema: {
        tags,
        summary: 'List deposits that wait, oldest first',
        description:
          '`waiting`: for the chain or for screening. `frozen`: rejected, and no return is ordered. `untold`: transfers whose arrival is unknown. An operator can declare it.',
        operationId: 'operator.deposits.list',
        querystring: Type.Object({ ...ListQuery.properties, state: oneOf(depositStates) }),
        response: { 200: listOf(DepositRecord), ...listErrors },
      },
    },
    async ({ query: { state, ...query } }) =>
      state === 'untold'
        ? listBody(await listUnknownArrivalPage(ctx, query), arrivalRecord)
        : listBody(await listWaitingDeposits(ctx, state, query), depositRecord),
  )

  app.get(
    '/operator/payouts',
    {
      config: { access: 'operator', may: 'work:read' },
      schema: {
        tags,
        summary: 'List payouts that wait, oldest first',
        description:
          '`open`: withdrawals and returns that have not ended. `unpaid`: final, but paid nobody. `unassigned`: recovered payouts of unknown users.',
        operationId: 'operator.payouts.list',
        querystring: Type.Object({ ...ListQuery.properties, state: oneOf(payoutStates) }),
        response: { 200: listOf(PayoutRecord), ...listErrors },
      },
    },
    async ({ query: { state, ...query } }) => listBody(await listPayoutPage(ctx, state, query), payoutRecord),
  )

  app.get(
    '/operator/webhooks/dead',
    {
      config: { access: 'operator', may: 'work:read' },
      schema: {
        tags,
        summary: 'List dead letters by endpoint',
        operationId: 'operator.webhooks.listDead',
        querystring: ListQuery,
        response: { 200: listOf(DeadLetterRecord), ...listErrors },
      },
    },
    async (request) => listBody(await listDeadLetters(ctx, request.query), deadLetterRecord),
  )

  app.get(
    '/operator/partners',
    {
      config: { access: 'operator', may: 'partners:read' },
      schema: {
        tags,
        summary: 'List partners, newest first',
        operationId: 'operator.partners.list',
        querystring: Type.Object({ ...ListQuery.properties, status: Type.Optional(oneOf(partnerStatuses)) }),
        response: { 200: listOf(PartnerSummary), ...listErrors },
      },
    },
    async (request) => listBody(await listPartnerPage(ctx, request.query), partnerSummary),
  )

  app.get(
    '/operator/partners/:partnerId',
    {
      config: { access: 'operator', may: 'partners:read' },
      schema: {
        tags,
        summary: 'Get a partner with its registrations',
        operationId: 'operator.partners.get',
        params: Type.Object({ partnerId: Uuid }),
        response: { 200: PartnerRecord, ...plainErrors(400, 'PARTNER_NOT_FOUND') },
      },
    },
    async (request) => partnerRecord(await readPartnerDetails(ctx, request.params.partnerId)),
  )

  app.get(
    '/operator/partners/:partnerId/audit',
    {
      config: { access: 'operator', may: 'reads:read' },
      schema: {
        tags,
        summary: 'List the audit log of a partner, newest first',
        description: 'Contains every change to the partner, and who read the details of its users.',
        operationId: 'operator.partners.listAudit',
        params: Type.Object({ partnerId: Uuid }),
        querystring: Type.Object({ ...ListQuery.properties, ...AuditQuery.properties }),
        response: { 200: listOf(AuditEntry), ...plainErrors(400, 'INVALID_CURSOR', 'PARTNER_NOT_FOUND') },
      },
    },
    async (request) => listBody(await listPartnerAudit(ctx, request.params.partnerId, request.query), auditEntry),
  )

  app.get(
    '/operator/domains',
    {
      config: { access: 'operator', may: 'partners:read' },
      schema: {
        tags,
        summary: 'List sign-in domains',
        operationId: 'operator.domains.list',
        querystring: ListQuery,
        response: { 200: listOf(SignInDomainRecord), ...listErrors },
      },
    },
    async (request) => listBody(await listDomainPage(ctx, request.query), signInDomainRecord),
  )

  app.get(
    '/operator/signing-keys',
    {
      config: { access: 'operator', may: 'partners:read' },
      schema: {
        tags,
        summary: 'List the keys that sign access tokens',
        operationId: 'operator.signingKeys.list',
        response: {
          200: Type.Object({
            data: Type.Array(
              Type.Object({
                kid: Type.String(),
                publicJwk: Type.Record(Type.String(), Type.Unknown()),
                activeFrom: DateTime,
                retiredAt: nullable(DateTime),
              }),
            ),
          }),
        },
      },
    },
    async () => ({
      data: (await listKeys(ctx)).map(({ kid, publicJwk, activeFrom, retiredAt }) => ({
        kid,
        publicJwk: { ...publicJwk },
        activeFrom: activeFrom.toISOString(),
        retiredAt: retiredAt?.toISOString() ?? null,
      })),
    }),
  )

  app.get(
    '/operator/switches',
    {
      config: { access: 'operator', may: 'overview:read' },
      schema: {
        tags,
        summary: 'List the kill switches',
        operationId: 'operator.switches.list',
        response: { 200: Type.Object({ data: Type.Array(SwitchRecord) }) },
      },
    },
    async () => ({
      data: (await readSwitches(ctx, ctx.db)).map(({ name, isOn, changedAt }) => ({
        ...{ name, isOn, changedAt: changedAt?.toISOString() ?? null },
      })),
    }),
  )
}
