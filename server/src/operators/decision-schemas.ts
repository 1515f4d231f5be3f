import { type Static, Type } from 'typebox'
import type { Hex } from 'viem'
import { operatorCommands } from '../config/operators.ts'
import type { NumberedDecision } from '../events/operator-decisions.ts'
import type { RefusalCode } from '../lib/errors.ts'
import { Address, DateTime, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { proposalStatuses } from './proposal-sql.ts'
import { type PreparedDecision, type Proposal, typedDataOf } from './proposals.ts'
import { maxReasonLength } from './rules.ts'

/** The bodies of every request that changes something. */

export const Signature = Type.Unsafe<Hex>(Type.String({ pattern: '^0x(?:[0-9a-fA-F]{2})*$', maxLength: 20_000 }))
const Hash = Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-f]{64}$' }))

export const Reason = Type.String({
  title: 'DecisionReason',
  minLength: 1,
  maxLength: maxReasonLength,
  description: 'The reason. It is stored forever, so it must not name people.',
})

export const SignedDecisionBody = Type.Object(
  {
    stateHash: Hash,
    // The last second that ISO 8601 can express with a four-digit year.
    expires: Type.Integer({
      minimum: 0,
      maximum: 253_402_300_799,
      description: 'The time at which the decision expires, in Unix seconds.',
    }),
    signature: Signature,
  },
  { title: 'DecisionSignature' },
)

/** The body of every change. A command adds its subject and its arguments. */
export const ReasonBody = Type.Object(
  { reason: Reason, signed: Type.Optional(SignedDecisionBody) },
  { title: 'SignedReason' },
)

const State = Type.Record(Type.String(), nullable(Type.String()))

const TypedData = Type.Object(
  {
    domain: Type.Object({ name: Type.String(), version: Type.String() }),
    primaryType: Type.Literal('Decision'),
    types: Type.Object({
      Decision: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    }),
    message: Type.Object({
      command: Type.String(),
      subject: Type.String(),
      reasonHash: Hash,
      stateHash: Hash,
      expires: Type.String(),
    }),
  },
  { title: 'DecisionTypedData', description: 'EIP-712 typed data for `signTypedData` of the wallet.' },
)

export const Prepared = Type.Object(
  {
    typedData: TypedData,
    state: State,
    stateHash: Hash,
    expires: Type.Integer(),
    needed: Type.Integer({ description: 'The number of people who must sign.' }),
  },
  { title: 'PreparedDecision' },
)

/** An open proposal whose time is over is shown as expired. */
export const shownProposalStatuses = [...proposalStatuses, 'expired'] as const

export const ProposalRecord = Type.Object(
  {
    proposalId: Uuid,
    command: oneOf(Object.keys(operatorCommands), { title: 'OperatorCommand' }),
    subject: Type.String(),
    arguments: Type.Record(Type.String(), Type.String()),
    reason: Type.String(),
    state: State,
    status: oneOf(shownProposalStatuses),
    needed: Type.Integer({ description: 'The number of people who must sign.' }),
    proposedBy: Address,
    proposedAt: DateTime,
    expiresAt: DateTime,
    closedBy: nullable(Address),
    closedAt: nullable(DateTime),
    outcome: nullable(
      Type.String({ description: 'The result, the reason for the rejection, or the reason why the proposal lapsed.' }),
    ),
    decisionId: nullable(Uuid),
    typedData: TypedData,
  },
  { title: 'Proposal' },
)

export function preparedRecord({ typedData, ...prepared }: PreparedDecision): Static<typeof Prepared> {
  return { ...prepared, typedData: plain(typedData) }
}

export function proposalRecord(proposal: Proposal, now: Date): Static<typeof ProposalRecord> {
  const { proposalId, name, subject, reason, state, status, needed, proposedBy, expiresAt } = proposal
  const isExpired = status === 'open' && expiresAt <= now
  return {
    ...{ proposalId, command: name, subject, arguments: { ...proposal.arguments }, reason, state: { ...state } },
    ...{ status: isExpired ? 'expired' : status, needed, proposedBy, expiresAt: expiresAt.toISOString() },
    ...{ closedBy: proposal.closedBy, outcome: proposal.outcome, decisionId: proposal.decisionId },
    proposedAt: proposal.proposedAt.toISOString(),
    closedAt: proposal.closedAt?.toISOString() ?? null,
    typedData: plain(typedDataOf(proposal)),
  }
}

/** Copies the typed data, whose type is read-only. */
function plain({ domain, primaryType, types, message }: ReturnType<typeof typedDataOf>): Static<typeof TypedData> {
  return {
    domain: { ...domain },
    primaryType,
    types: { Decision: types.Decision.map((field) => ({ ...field })) },
    message: { ...message },
  }
}

/**
 * The responses of a request that proposes a change: the typed data to sign, or the proposal. Equal responses appear
 * once in the document.
 */
export function decisionResponses(...errors: readonly RefusalCode[]) {
  const common = ['DECISION_NOT_SIGNED', 'DECISION_EXPIRED', 'DECISION_USED', 'STATE_CHANGED'] as const
  return { 200: Prepared, 201: ProposalRecord, ...plainErrors(400, 502, ...common, ...errors) }
}

export const DecisionRecord = Type.Object(
  {
    seq: Type.String({ description: 'The number of the decision. Pass it as `after` to read the earlier ones.' }),
    decisionId: Uuid,
    decidedAt: DateTime,
    decidedBy: Type.String({ description: 'The wallet of the proposer, or the name of the operator in the shell.' }),
    approvedBy: nullable(Address),
    command: Type.String({ description: 'The command with its arguments, as the operators signed it.' }),
    subject: Type.String(),
    reason: Type.String(),
    isBreakGlass: Type.Boolean({ description: 'Whether the operator used the shell, without a signature.' }),
    proof: nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The signed state, its hash, the expiry, the origin of the console, and the signatures.',
      }),
    ),
  },
  { title: 'Decision' },
)

export function decisionRecord({ seq, decidedAt, proof, ...decision }: NumberedDecision) {
  return {
    ...decision,
    seq: String(seq),
    decidedAt: decidedAt.toISOString(),
    proof: proof === null ? null : readProof(proof),
  }
}

/** Somebody with access to the database may have changed a proof. A broken one must not hide the rest of its page. */
function readProof(text: string): Record<string, unknown> {
  try {
    const proof: unknown = JSON.parse(text)
    if (typeof proof === 'object' && proof !== null && !Array.isArray(proof)) return { ...proof }
  } catch {}
  return { unreadable: text }
}
