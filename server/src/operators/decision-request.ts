import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { requireOperator } from '../platform/http/access.ts'
import { clientOf } from '../platform/net/client-address.ts'
import { preparedRecord, proposalRecord } from './decision-schemas.ts'
import { type DecisionRequest, type DecisionSignature, prepareDecision, proposeDecision } from './proposals.ts'
import { canonicalId } from './rules.ts'

/** Prepares a decision, or proposes it if it is signed. */
export async function prepareOrPropose(
  ctx: Ctx,
  request: FastifyRequest,
  given: DecisionRequest,
  signed: DecisionSignature | undefined,
) {
  const caller = requireOperator(request)
  const asked = { ...given, subject: canonicalId(given.subject) }
  if (signed === undefined) {
    const prepared = await prepareDecision(ctx, caller, asked)
    return { status: 200, record: preparedRecord(prepared) } as const
  }
  const proposal = await proposeDecision(ctx, caller, asked, signed, clientOf(request))
  return { status: 201, record: proposalRecord(proposal, ctx.clock.now()) } as const
}
