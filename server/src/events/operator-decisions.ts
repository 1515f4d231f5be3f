import type { Ctx } from '../context.ts'
import { newId } from '../lib/id.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import {
  countBreakGlassDecisions,
  type DecisionFilter,
  findLastDecisionSeq,
  findOperatorDecisions,
  insertOperatorDecision,
  type NumberedDecision,
  type OperatorDecision,
} from './operator-decisions-sql.ts'
import { decisionLog, microsOf, sealRecord } from './sealed-log.ts'

/**
 * Changes that operators made: who made and approved them, to which subject, why, and with which signatures. Owns
 * `operator_decision`.
 * Invariant: a decision is written in the transaction of its effect, so neither exists without the other.
 */
export type { DecisionFilter, NumberedDecision, OperatorDecision }
export { countBreakGlassDecisions }

/** The operator command, its subject, the operator's reason, and the operators who signed. */
export type DecisionNote = Omit<OperatorDecision, 'decisionId' | 'decidedAt' | 'isBreakGlass'>

/**
 * Records a decision. Call it in the transaction of the decision's effect. A decision without a proof is break-glass.
 */
export async function recordOperatorDecision(
  { config, clock }: Pick<Ctx, 'config' | 'clock'>,
  tx: Tx,
  note: DecisionNote,
): Promise<string> {
  const decidedAt = clock.now()
  const decision = { ...note, decisionId: newId(decidedAt), decidedAt, isBreakGlass: note.proof === null }
  const { decisionId, decidedBy, command, subject, reason, isBreakGlass, approvedBy, proof } = decision
  const fields = [
    ...[decisionId, decidedBy, microsOf(decidedAt), command, subject, reason],
    ...[String(isBreakGlass), approvedBy ?? '', proof ?? ''],
  ]
  const log = { name: decisionLog, lastSeq: findLastDecisionSeq }
  await insertOperatorDecision(tx, decision, await sealRecord({ config }, tx, log, fields))
  return decisionId
}

/** Returns decisions, newest first. */
export function listOperatorDecisions(
  { db }: { readonly db: Queryable },
  filter: DecisionFilter = {},
  limit = 100,
): Promise<NumberedDecision[]> {
  return findOperatorDecisions(db, filter, limit)
}
