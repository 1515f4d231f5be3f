import type { Queryable, Tx } from '../platform/db/db.ts'
import type { RecordSeal } from './sealed-log.ts'

export type OperatorDecision = {
  readonly decisionId: string
  readonly decidedBy: string
  readonly decidedAt: Date
  readonly command: string
  readonly subject: string
  readonly reason: string
}

export async function insertOperatorDecision(tx: Tx, decision: OperatorDecision, seal: RecordSeal): Promise<void> {
  await tx.query(
    `insert into operator_decision (decision_id, decided_by, decided_at, command, subject, reason, seq, hash, mac, secret_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      decision.decisionId,
      decision.decidedBy,
      decision.decidedAt,
      decision.command,
      decision.subject,
      decision.reason,
      seal.seq,
      seal.hash,
      seal.mac,
      seal.secretId,
    ],
  )
}

export async function findOperatorDecisions(db: Queryable, limit: number): Promise<OperatorDecision[]> {
  return db.query<OperatorDecision>(
    `select decision_id as "decisionId", decided_by as "decidedBy", decided_at as "decidedAt", command, subject, reason
     from operator_decision order by decided_at desc, decision_id desc limit $1`,
    [limit],
  )
}
