import type { Queryable, Tx } from '../platform/db/db.ts'
import type { RecordSeal } from './sealed-log.ts'

export type OperatorDecision = {
  readonly decisionId: string
  /** The wallet of the proposer, or the name of the operator in the shell. */
  readonly decidedBy: string
  readonly approvedBy: string | null
  readonly decidedAt: Date
  /** With its arguments, as the operators signed it. */
  readonly command: string
  readonly subject: string
  readonly reason: string
  readonly isBreakGlass: boolean
  /** JSON text of the signed message and its signatures; null: break-glass. */
  readonly proof: string | null
}

export type NumberedDecision = OperatorDecision & { readonly seq: bigint }

/** Returns the number of the last decision, 0 for none. */
export async function findLastDecisionSeq(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ seq: bigint | null }>('select max(seq) as seq from operator_decision')
  return row?.seq ?? 0n
}

export async function insertOperatorDecision(tx: Tx, decision: OperatorDecision, seal: RecordSeal): Promise<void> {
  await tx.query(
    `insert into operator_decision (decision_id, decided_by, approved_by, decided_at, command, subject, reason,
       break_glass, proof, seq, hash, mac, secret_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      decision.decisionId,
      decision.decidedBy,
      decision.approvedBy,
      decision.decidedAt,
      decision.command,
      decision.subject,
      decision.reason,
      decision.isBreakGlass,
      decision.proof,
      seal.seq,
      seal.hash,
      seal.mac,
      seal.secretId,
    ],
  )
}

export type DecisionFilter = {
  readonly subject?: string | undefined
  /** The wallet or name of the proposer, or the wallet of the approver. */
  readonly by?: string | undefined
  /** Returns the decisions before this number. */
  readonly before?: bigint | undefined
}

const maxSeq = 2n ** 63n - 1n

/** Returns decisions, newest first. */
export async function findOperatorDecisions(
  db: Queryable,
  { subject, by, before }: DecisionFilter,
  limit: number,
): Promise<NumberedDecision[]> {
  const values = [before ?? maxSeq, limit, subject, by].filter((value) => value !== undefined)
  const ofSubject = subject === undefined ? '' : 'and subject = $3'
  const list = (condition: string) => `select seq, decision_id as "decisionId", decided_by as "decidedBy",
      approved_by as "approvedBy", decided_at as "decidedAt", command, subject, reason,
      break_glass as "isBreakGlass", proof
    from operator_decision where seq < $1 ${ofSubject} ${condition} order by seq desc limit $2`
  if (by === undefined) return db.query<NumberedDecision>(list(''), values)
  // One range of an index for each role. No operator approves a decision of their own.
  const operator = `$${values.length}`
  return db.query<NumberedDecision>(
    `(${list(`and decided_by = ${operator}`)}) union all (${list(`and approved_by = ${operator}`)})
     order by seq desc limit $2`,
    values,
  )
}

export async function countBreakGlassDecisions(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ decisions: bigint }>(
    'select count(*) as decisions from operator_decision where break_glass',
  )
  return row?.decisions ?? 0n
}
