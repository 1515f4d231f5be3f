import type { Hex } from 'viem'
import type { OperatorCommand } from '../config/operators.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { DecisionSigner, State } from './decision-signature.ts'

/** `lapsed`: at the approval, the subject had changed, the change broke a rule, or the proposer lacked permission. */
export const proposalStatuses = ['open', 'executed', 'rejected', 'lapsed'] as const
export type ProposalStatus = (typeof proposalStatuses)[number]

export type Proposal = {
  readonly proposalId: string
  readonly digest: Hex
  readonly name: OperatorCommand
  /** With its arguments, as the operators sign it. */
  readonly command: string
  readonly subject: string
  readonly arguments: Readonly<Record<string, string>>
  readonly reason: string
  readonly state: State
  readonly stateHash: Hex
  readonly expiresAt: Date
  readonly origin: string
  /** The number of people who must sign. */
  readonly needed: number
  readonly status: ProposalStatus
  readonly proposedBy: string
  readonly proposedAt: Date
  readonly proposer: DecisionSigner
  readonly closedBy: string | null
  readonly closedAt: Date | null
  readonly outcome: string | null
  readonly decisionId: string | null
}

const columns = `proposal_id as "proposalId", digest, name, command, subject, arguments, reason, state,
  state_hash as "stateHash", expires_at as "expiresAt", origin, needed, status, proposed_by as "proposedBy",
  proposed_at as "proposedAt", proposer, closed_by as "closedBy", closed_at as "closedAt", outcome,
  decision_id as "decisionId"`

/** Inserts an open proposal. Returns false when a proposal with this signature already exists. */
export async function insertProposal(tx: Tx, proposal: Proposal): Promise<boolean> {
  const rows = await tx.query(
    `insert into operator_proposal (proposal_id, digest, name, command, subject, arguments, reason, state, state_hash,
       expires_at, origin, needed, status, proposed_by, proposed_at, proposer)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (digest) do nothing returning proposal_id`,
    [
      proposal.proposalId,
      proposal.digest,
      proposal.name,
      proposal.command,
      proposal.subject,
      JSON.stringify(proposal.arguments),
      proposal.reason,
      JSON.stringify(proposal.state),
      proposal.stateHash,
      proposal.expiresAt,
      proposal.origin,
      proposal.needed,
      proposal.status,
      proposal.proposedBy,
      proposal.proposedAt,
      JSON.stringify(proposal.proposer),
    ],
  )
  return rows.length > 0
}

/** Closes a proposal, which the caller has locked. */
export async function updateProposal(tx: Tx, proposal: Proposal): Promise<void> {
  await tx.query(
    `update operator_proposal set status = $2, closed_by = $3, closed_at = $4, outcome = $5, decision_id = $6
     where proposal_id = $1`,
    [proposal.proposalId, proposal.status, proposal.closedBy, proposal.closedAt, proposal.outcome, proposal.decisionId],
  )
}

export async function findProposal(db: Queryable, proposalId: string): Promise<Proposal | null> {
  const [row] = await db.query<Proposal>(`select ${columns} from operator_proposal where proposal_id = $1`, [
    proposalId,
  ])
  return row ?? null
}

export async function findProposalByDigest(db: Queryable, digest: string): Promise<Proposal | null> {
  const [row] = await db.query<Proposal>(`select ${columns} from operator_proposal where digest = $1`, [digest])
  return row ?? null
}

export async function lockProposal(tx: Tx, proposalId: string): Promise<Proposal | null> {
  const [row] = await tx.query<Proposal>(`select ${columns} from operator_proposal where proposal_id = $1 for update`, [
    proposalId,
  ])
  return row ?? null
}

export type ProposalFilter = {
  readonly status: ProposalStatus | 'expired' | null
  readonly before: string
  readonly now: Date
  /** No proposal below this id is still open. Without it, a list of open proposals would read all expired ones. */
  readonly oldestOpen: string
}

/** Returns proposals, newest first. An open proposal past its end is `expired`. */
export async function findProposals(
  db: Queryable,
  { status, before, now, oldestOpen }: ProposalFilter,
  limit: number,
): Promise<Proposal[]> {
  const list = (condition: string, ...values: readonly unknown[]) =>
    db.query<Proposal>(
      `select ${columns} from operator_proposal where proposal_id < $1 ${condition}
       order by proposal_id desc limit $2`,
      [before, limit, ...values],
    )
  switch (status) {
    case null:
      return list('')
    case 'open':
      return list("and status = 'open' and expires_at > $3 and proposal_id >= $4", now, oldestOpen)
    case 'expired':
      return list("and status = 'open' and expires_at <= $3", now)
    case 'executed':
    case 'rejected':
    case 'lapsed':
      return list('and status = $3', status)
  }
}
