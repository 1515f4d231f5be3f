import type { Ctx } from '../context.ts'
import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import { type Decision, findDecisions, insertDecision } from './operator-decisions-sql.ts'

/**
 * What people decided by hand about money, and about who may move it; who they were and why. Owns `operator_decision`.
 * Invariant: a decision is written in the transaction of what it does, so there is none without the other.
 */
export type { Decision }

/** What was decided about what, in the words of the operator command. */
export type Word = Pick<Decision, 'command' | 'subject' | 'reason'>

export async function writeDecision({ config, clock }: Pick<Ctx, 'config' | 'clock'>, tx: Tx, word: Word) {
  const decidedAt = clock.now()
  await insertDecision(tx, { ...word, decisionId: newId(decidedAt), decidedBy: config.operator, decidedAt })
}

/** Newest first. */
export function listDecisions({ db }: Pick<Ctx, 'db'>): Promise<Decision[]> {
  return findDecisions(db, 100)
}
