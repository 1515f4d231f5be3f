import type { Queryable, Tx } from '../platform/db/db.ts'
import type { RecordSeal } from './sealed-log.ts'

export type OperatorDecision = {
  readonly decisionId: string
  /** The wallet of the operator who proposed it, or the name of the shell's operator. */
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

/** Returns decisions, newest first. */
export async function findOperatorDecisions(
  db: Queryable,
  { subject, by, before }: DecisionFilter,
  limit: number,
): Promise<NumberedDecision[]> {
  return db.query<NumberedDecision>(
    `select seq, decision_id as "decisionId", decided_by as "decidedBy", approved_by as "approvedBy",
       decided_at as "decidedAt", command, subject, reason, break_glass as "isBreakGlass", proof
     from operator_decision
     where ($1::text is null or subject = $1) and ($2::text is null or decided_by = $2 or approved_by = $2)
       and ($3::bigint is null or seq < $3)
     order by seq desc limit $4`,
    [subject ?? null, by ?? null, before ?? null, limit],
  )
}

export async function countBreakGlassDecisions(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ decisions: bigint }>(
    'select count(*) as decisions from operator_decision where break_glass',
  )
  return row?.decisions ?? 0n
}
