import type { Ctx } from '../context.ts'
import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import { findOperatorDecisions, insertOperatorDecision, type OperatorDecision } from './operator-decisions-sql.ts'
import { decisionLog, microsOf, sealRecord } from './sealed-log.ts'

/**
 * Changes that operators made by hand: who made them, to which subject, and why. Owns `operator_decision`.
 * Invariant: a decision is written in the transaction of its effect, so neither exists without the other.
 */
export type { OperatorDecision }

/** The operator command, its subject, and the operator's reason. */
export type DecisionNote = Pick<OperatorDecision, 'command' | 'subject' | 'reason'>

/** Records a decision of the configured operator. Call it in the transaction of the decision's effect. */
export async function recordOperatorDecision(
  { config, clock }: Pick<Ctx, 'config' | 'clock'>,
  tx: Tx,
  note: DecisionNote,
): Promise<void> {
  const decidedAt = clock.now()
  const decision = { ...note, decisionId: newId(decidedAt), decidedBy: config.operator, decidedAt }
  const { decisionId, decidedBy, command, subject, reason } = decision
  const fields = [decisionId, decidedBy, microsOf(decidedAt), command, subject, reason]
  await insertOperatorDecision(tx, decision, await sealRecord({ config }, tx, decisionLog, fields))
}

/** Returns the latest 100 decisions, newest first. */
export function listOperatorDecisions({ db }: Pick<Ctx, 'db'>): Promise<OperatorDecision[]> {
  return findOperatorDecisions(db, 100)
}
