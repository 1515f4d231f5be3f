import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { operatorCommands } from '../config/operators.ts'
import type { Ctx } from '../context.ts'
import { listOperatorDecisions } from '../events/operator-decisions.ts'
import { Refusal } from '../lib/errors.ts'
import { requireOperator } from '../platform/http/access.ts'
import { oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { clientOf } from '../platform/net/client-address.ts'
import { prepareOrPropose } from './decision-request.ts'
import { decisionRouteTable } from './decision-route-table.ts'
import {
  DecisionRecord,
  decisionRecord,
  decisionResponses,
  ProposalRecord,
  proposalRecord,
  Reason,
  Signature,
  SignedDecisionBody,
  shownProposalStatuses,
} from './decision-schemas.ts'
import { approveProposal, listProposals, rejectProposal, requireProposal } from './proposals.ts'
import { canonicalId } from './rules.ts'

const tags = ['Operator']
const ProposalPath = Type.Object({ proposalId: Uuid })
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 }))
const Pagination = Type.Object({ hasNext: Type.Boolean() })

/** Routes for proposals and decisions. */
export function proposalRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/operator/proposals',
    {
      config: { access: 'operator', may: 'proposals:write', limited: 'proof' },
      schema: {
        tags,
        summary: 'Propose a change',
        description:
          'Without `signed`, returns the typed data of the decision and changes nothing. Let the wallet sign it, and send the same request with `signed`. If the policy of the command asks for one person, the change is made at once. Otherwise another person must approve the proposal within 24 hours. Each command also has a route of its own, such as `POST /operator/users/{userId}/block`. A signature makes only one proposal. A repeated request returns the same proposal, so `Idempotency-Key` is ignored.',
        operationId: 'operator.proposals.create',
        body: Type.Object({
          command: oneOf(Object.keys(operatorCommands) as (keyof typeof operatorCommands)[], {
            title: 'OperatorCommand',
          }),
          subject: Type.String({ minLength: 1, maxLength: 300 }),
          arguments: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 300 }), { maxProperties: 5 })),
          reason: Reason,
          signed: Type.Optional(SignedDecisionBody),
        }),
        response: decisionResponses(...new Set(decisionRouteTable.flatMap(({ errors }) => errors))),
      },
    },
    async (request, reply) => {
      const { command, subject, arguments: given = {}, reason, signed } = request.body
      const asked = { name: command, subject, arguments: given, reason }
      const { status, record } = await prepareOrPropose(ctx, request, asked, signed)
      return reply.code(status).send(record)
    },
  )

  app.get(
    '/operator/proposals',
    {
      config: { access: 'operator', may: 'decisions:read' },
      schema: {
        tags,
        summary: 'List proposals, newest first',
        operationId: 'operator.proposals.list',
        querystring: Type.Object({
          status: Type.Optional(oneOf(shownProposalStatuses)),
          after: Type.Optional(Type.String({ ...Uuid, description: 'The last proposal of the previous page.' })),
          limit: Limit,
        }),
        response: {
          200: Type.Object({ data: Type.Array(ProposalRecord), pagination: Pagination }),
          ...plainErrors(400),
        },
      },
    },
    async (request) => {
      const { status = null, after = null, limit = 50 } = request.query
      const found = await listProposals(ctx, { status, before: after }, limit + 1)
      const now = ctx.clock.now()
      return {
        data: found.slice(0, limit).map((proposal) => proposalRecord(proposal, now)),
        pagination: { hasNext: found.length > limit },
      }
    },
  )

  app.get(
    '/operator/proposals/:proposalId',
    {
      config: { access: 'operator', may: 'decisions:read' },
      schema: {
        tags,
        summary: 'Get a proposal',
        operationId: 'operator.proposals.get',
        params: ProposalPath,
        response: { 200: ProposalRecord, ...plainErrors(400, 'PROPOSAL_NOT_FOUND') },
      },
    },
    async (request) => proposalRecord(await requireProposal(ctx, request.params.proposalId), ctx.clock.now()),
  )

  app.post(
    '/operator/proposals/:proposalId/approve',
    {
      config: { access: 'operator', may: 'proposals:write', limited: 'proof' },
      schema: {
        tags,
        summary: 'Approve and execute a proposal',
        description:
          "Needs the permission of the command, and a person other than the proposer. Sign the proposal's `typedData`. If the subject has changed since the proposal, nothing is executed: the proposal lapses, and its `outcome` names the changes. A repeated approval returns the executed proposal, and `Idempotency-Key` is ignored.",
        operationId: 'operator.proposals.approve',
        params: ProposalPath,
        body: Type.Object({ signature: Signature }),
        response: {
          200: ProposalRecord,
          ...plainErrors(
            400,
            502,
            'PROPOSAL_NOT_FOUND',
            'PROPOSAL_NOT_OPEN',
            'PROPOSAL_LAPSED',
            'DECISION_NOT_SIGNED',
            'SECOND_PERSON_REQUIRED',
          ),
        },
      },
    },
    async (request) => {
      const caller = requireOperator(request)
      const { signature } = request.body
      const proposal = await approveProposal(ctx, caller, request.params.proposalId, signature, clientOf(request))
      if (proposal.status === 'lapsed') throw new Refusal('PROPOSAL_LAPSED')
      return proposalRecord(proposal, ctx.clock.now())
    },
  )

  app.post(
    '/operator/proposals/:proposalId/reject',
    {
      config: { access: 'operator', may: 'proposals:write' },
      schema: {
        tags,
        summary: 'Reject or withdraw a proposal',
        description:
          'Needs the permission of the command. A rejection only closes the proposal, so it needs no signature. `Idempotency-Key` is ignored.',
        operationId: 'operator.proposals.reject',
        params: ProposalPath,
        body: Type.Object({ reason: Reason }),
        response: { 200: ProposalRecord, ...plainErrors(400, 'PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_OPEN') },
      },
    },
    async (request) => {
      const caller = requireOperator(request)
      const proposal = await rejectProposal(ctx, caller, request.params.proposalId, request.body.reason)
      return proposalRecord(proposal, ctx.clock.now())
    },
  )

  app.get(
    '/operator/decisions',
    {
      config: { access: 'operator', may: 'decisions:read' },
      schema: {
        tags,
        summary: 'List decisions, newest first',
        operationId: 'operator.decisions.list',
        querystring: Type.Object({
          subject: Type.Optional(Type.String({ maxLength: 300, pattern: '^[^\\u0000]*$' })),
          by: Type.Optional(
            Type.String({
              maxLength: 300,
              pattern: '^[^\\u0000]*$',
              description: 'The wallet of the proposer or approver, or the name of the operator in the shell.',
            }),
          ),
          after: Type.Optional(
            Type.String({
              pattern: '^[0-9]{1,18}$',
              description: 'The `seq` of the last decision of the previous page.',
            }),
          ),
          limit: Limit,
        }),
        response: {
          200: Type.Object({ data: Type.Array(DecisionRecord), pagination: Pagination }),
          ...plainErrors(400),
        },
      },
    },
    async (request) => {
      const { subject, by, after, limit = 50 } = request.query
      const before = after === undefined ? undefined : BigInt(after)
      const filter = { subject: subject && canonicalId(subject), by: by && canonicalId(by), before }
      const found = await listOperatorDecisions(ctx, filter, limit + 1)
      return {
        data: found.slice(0, limit).map(decisionRecord),
        pagination: { hasNext: found.length > limit },
      }
    },
  )
}
