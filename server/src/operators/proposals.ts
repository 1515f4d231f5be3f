import type { Hex } from 'viem'
import { getAddress } from 'viem/utils'
import type { OperatorCommand } from '../config/operators.ts'
import type { Ctx } from '../context.ts'
import { recordOperatorDecision } from '../events/operator-decisions.ts'
import { recoverSigner } from '../identity/auth/signature.ts'
import { addSeconds } from '../lib/clock.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { lastId, newId } from '../lib/id.ts'
import { mayOperate } from '../lib/operator-permission.ts'
import { joinTransaction, type Tx } from '../platform/db/db.ts'
import type { OperatorCaller } from '../platform/http/access.ts'
import { reportSecurity } from '../platform/observability/security-events.ts'
import { checkArguments, commands, wordsOf } from './commands.ts'
import {
  type DecisionProof,
  type DecisionSigner,
  type DecisionTerms,
  hashDecision,
  hashState,
  type State,
  typedDecision,
} from './decision-signature.ts'
import { findActiveOperator } from './operators.ts'
import {
  findProposal,
  findProposalByDigest,
  findProposals,
  insertProposal,
  lockProposal,
  type Proposal,
  type ProposalStatus,
  updateProposal,
} from './proposal-sql.ts'
import { describeChanges, oldestOpenProposal, policyOf, proposalLifeSeconds, signaturesNeeded } from './rules.ts'
import { lockOperator, type Operator } from './sql.ts'

/**
 * Proposals: changes that operators sign. Owns `operator_proposal`.
 *
 * A client requests the typed data of a decision, lets the wallet sign it, and sends the request again with the
 * signature. If the policy asks for one person, the change is made at once. Otherwise it waits for the signature of
 * another person.
 *
 * Invariants:
 * - No change is made without the signatures of the required number of people, over this command, subject, reason and
 *   state.
 * - The change, its decision and the end of its proposal are written in one transaction.
 * - A signature makes only one proposal. A repeated request gets the same one.
 */
export type DecisionRequest = {
  readonly name: OperatorCommand
  readonly subject: string
  readonly arguments: Readonly<Record<string, string>>
  readonly reason: string
}

/** The signature of a decision, with the parts of the typed data that the request does not contain otherwise. */
export type DecisionSignature = { readonly stateHash: Hex; readonly expires: number; readonly signature: Hex }

export type PreparedDecision = {
  readonly typedData: ReturnType<typeof typedDecision>
  readonly state: State
  readonly stateHash: Hex
  readonly expires: number
  readonly needed: number
}

export type { Proposal, ProposalStatus }

/** Returns the typed data of a decision. Writes nothing. */
export async function prepareDecision(
  ctx: Ctx,
  caller: OperatorCaller,
  request: DecisionRequest,
): Promise<PreparedDecision> {
  requirePermission(caller, request.name)
  checkArguments(request.name, request.arguments)
  const state = await ctx.db.transaction((tx) => describe(ctx, tx, request))
  const expires = Math.floor(addSeconds(ctx.clock.now(), proposalLifeSeconds).getTime() / 1000)
  const stateHash = hashState(state)
  const typedData = typedDecision(termsOf(ctx, request, { stateHash, expires }))
  return { typedData, state, stateHash, expires, needed: neededFor(ctx, request.name, state) }
}

/** Makes a proposal, and executes it at once if one person is enough. */
export async function proposeDecision(
  ctx: Ctx,
  caller: OperatorCaller,
  request: DecisionRequest,
  { stateHash, expires, signature }: DecisionSignature,
  client: string,
): Promise<Proposal> {
  requirePermission(caller, request.name)
  checkArguments(request.name, request.arguments)
  const terms = termsOf(ctx, request, { stateHash, expires })
  const digest = hashDecision(terms)
  const signer = await requireSignature(ctx, caller, digest, signature, client)
  return ctx.db.transaction(async (tx) => {
    const repeated = await findRepeated(tx, digest, caller)
    if (repeated !== null) return repeated
    const now = ctx.clock.now()
    const expiresAt = new Date(expires * 1000)
    if (expiresAt <= now || expiresAt > addSeconds(now, proposalLifeSeconds)) throw new Refusal('DECISION_EXPIRED')
    const proposer = await requireActive(ctx, tx, caller, request.name)
    const state = await describe(ctx, tx, request)
    if (hashState(state) !== stateHash) {
      // The same request may have been executed while this one waited for the lock.
      const executed = await findRepeated(tx, digest, caller)
      if (executed !== null) return executed
      throw new Refusal('STATE_CHANGED')
    }
    const proposal: Proposal = {
      ...{ proposalId: newId(now), digest, ...request, command: terms.command, state, stateHash, expiresAt },
      ...{ origin: terms.origin, needed: neededFor(ctx, request.name, state), status: 'open' },
      ...{ proposedBy: caller.address, proposedAt: now, proposer: { ...signer, personId: proposer.personId } },
      ...{ closedBy: null, closedAt: null, outcome: null, decisionId: null },
    }
    if (!(await insertProposal(tx, proposal))) return requireRepeated(tx, digest, caller)
    return proposal.needed === 1 ? execute(ctx, tx, proposal, null) : proposal
  })
}

/**
 * Executes a proposal with the signature of a second person. Returns it as lapsed if the state of its subject has
 * changed, if the change now breaks a rule, or if the proposer has lost the permission.
 */
export async function approveProposal(
  ctx: Ctx,
  caller: OperatorCaller,
  proposalId: string,
  signature: Hex,
  client: string,
): Promise<Proposal> {
  const { name, digest } = await requireProposal(ctx, proposalId)
  requirePermission(caller, name)
  const signer = await requireSignature(ctx, caller, digest, signature, client)
  return ctx.db.transaction(async (tx) => {
    const proposal = await lockProposal(tx, proposalId)
    if (proposal === null) throw new Refusal('PROPOSAL_NOT_FOUND')
    if (proposal.status === 'executed' && proposal.closedBy === caller.address) return proposal
    requireOpen(ctx, proposal)
    const [approver, proposer] = await lockSigners(ctx, tx, caller, proposal)
    if (isSamePerson(approver, proposal, proposer)) throw new Refusal('SECOND_PERSON_REQUIRED')
    const lapse = (outcome: string) => close(ctx, tx, { ...proposal, status: 'lapsed', outcome }, caller)
    if (proposer === null) return lapse('The proposer no longer has the permission.')
    const result = await tx
      .savepoint(async () => {
        const state = await describe(ctx, tx, proposal)
        if (hashState(state) !== proposal.stateHash) return describeChanges(proposal.state, state)
        return execute(ctx, tx, proposal, { ...signer, personId: approver.personId })
      })
      .catch(reasonOf)
    return typeof result === 'string' ? lapse(result) : result
  })
}

/** A proposal whose change breaks a rule lapses, with that rule as its outcome. Every other error is thrown. */
function reasonOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof InvalidInput) return error.message
  throw error
}

/** Closes a proposal without an effect. The proposer may do this too. */
export async function rejectProposal(
  ctx: Ctx,
  caller: OperatorCaller,
  proposalId: string,
  reason: string,
): Promise<Proposal> {
  return ctx.db.transaction(async (tx) => {
    const proposal = await lockProposal(tx, proposalId)
    if (proposal === null) throw new Refusal('PROPOSAL_NOT_FOUND')
    requirePermission(caller, proposal.name)
    if (proposal.status === 'rejected' && proposal.closedBy === caller.address) return proposal
    requireOpen(ctx, proposal)
    return close(ctx, tx, { ...proposal, status: 'rejected', outcome: reason }, caller)
  })
}

export function listProposals(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  filter: { readonly status: ProposalStatus | 'expired' | null; readonly before: string | null },
  limit: number,
): Promise<Proposal[]> {
  const now = ctx.clock.now()
  const { status, before } = filter
  return findProposals(ctx.db, { status, before: before ?? lastId, now, oldestOpen: oldestOpenProposal(now) }, limit)
}

export async function requireProposal({ db }: Pick<Ctx, 'db'>, proposalId: string): Promise<Proposal> {
  const proposal = await findProposal(db, proposalId)
  if (proposal === null) throw new Refusal('PROPOSAL_NOT_FOUND')
  return proposal
}

/** Returns the typed data that the approver signs: the same that the proposer signed. */
export function typedDataOf(proposal: Proposal): ReturnType<typeof typedDecision> {
  return typedDecision({ ...proposal, expires: Math.floor(proposal.expiresAt.getTime() / 1000) })
}

function requirePermission({ role }: { readonly role: Operator['role'] }, name: OperatorCommand): void {
  if (!mayOperate(role, commands[name].permission)) throw new Refusal('ROLE_NOT_PERMITTED')
}

function requireOpen({ clock }: Pick<Ctx, 'clock'>, { status, expiresAt }: Proposal): void {
  if (status !== 'open' || expiresAt <= clock.now()) throw new Refusal('PROPOSAL_NOT_OPEN')
}

function termsOf(
  { config }: Pick<Ctx, 'config'>,
  { name, subject, arguments: given, reason }: DecisionRequest,
  signed: Pick<DecisionTerms, 'stateHash' | 'expires'>,
): DecisionTerms {
  return { origin: config.servers.console, command: wordsOf(name, given), subject, reason, ...signed }
}

function neededFor({ config }: Pick<Ctx, 'config'>, name: OperatorCommand, state: State): number {
  return signaturesNeeded(policyOf(config, name), state, config.tokens)
}

function describe(
  ctx: Ctx,
  tx: Tx,
  { name, subject, arguments: given }: Pick<DecisionRequest, 'name' | 'subject' | 'arguments'>,
): Promise<State> {
  return commands[name].describeState({ ...ctx, db: joinTransaction(ctx.db, tx) }, tx, { subject, arguments: given })
}

/** Returns the signer if the wallet of the caller has signed the hash. */
async function requireSignature(
  ctx: Pick<Ctx, 'signatures'>,
  { address, contractChainId, personId }: OperatorCaller,
  hash: Hex,
  signature: Hex,
  client: string,
): Promise<DecisionSigner> {
  const claim = { address: getAddress(address), hash, signature, client, isKnown: true }
  const isSigned =
    contractChainId === null
      ? (await recoverSigner(hash, signature)) === address.toLowerCase()
      : ctx.signatures.supports(contractChainId) &&
        (await ctx.signatures.verify({ ...claim, chainId: contractChainId }))
  if (!isSigned) throw new Refusal('DECISION_NOT_SIGNED')
  return { address, contractChainId, personId, signature }
}

/** Returns the operator at this moment. The role may have changed since the request was admitted. */
async function requireActive(
  ctx: Pick<Ctx, 'config'>,
  tx: Tx,
  { address, contractChainId }: Pick<OperatorCaller, 'address' | 'contractChainId'>,
  name: OperatorCommand,
): Promise<Operator> {
  await lockOperator(tx, address)
  const operator = await findActiveOperator(ctx, tx, address)
  if (operator === null || operator.contractChainId !== contractChainId) throw new Refusal('OPERATOR_UNAUTHORIZED')
  requirePermission(operator, name)
  return operator
}

/** Locks both operators in the order of their addresses. The proposer is null without the permission. */
async function lockSigners(
  ctx: Pick<Ctx, 'config'>,
  tx: Tx,
  caller: OperatorCaller,
  { name, proposer }: Proposal,
): Promise<[Operator, Operator | null]> {
  for (const address of [caller.address, proposer.address].sort()) await lockOperator(tx, address)
  const approver = await requireActive(ctx, tx, caller, name)
  const current = await findActiveOperator(ctx, tx, proposer.address)
  const isPermitted = current !== null && mayOperate(current.role, commands[name].permission)
  return [approver, isPermitted && current.contractChainId === proposer.contractChainId ? current : null]
}

/** The proposer's wallet may have moved to another person since the proposal, so both people count. */
function isSamePerson(approver: Operator, { proposer }: Proposal, current: Operator | null): boolean {
  const isSameWallet = approver.address === proposer.address
  return isSameWallet || approver.personId === proposer.personId || approver.personId === current?.personId
}

async function findRepeated(tx: Tx, digest: string, caller: OperatorCaller): Promise<Proposal | null> {
  const known = await findProposalByDigest(tx, digest)
  if (known !== null && known.proposedBy !== caller.address) throw new Refusal('DECISION_USED')
  return known
}

async function requireRepeated(tx: Tx, digest: string, caller: OperatorCaller): Promise<Proposal> {
  const known = await findRepeated(tx, digest, caller)
  if (known === null) throw new Error('the proposal of a used signature is missing')
  return known
}

async function execute(ctx: Ctx, tx: Tx, proposal: Proposal, approver: DecisionSigner | null): Promise<Proposal> {
  const { name, command, subject, arguments: given, reason, proposer, state, stateHash, origin, needed } = proposal
  const signers = approver === null ? [proposer] : [proposer, approver]
  if (signers.length < needed) throw new Error('a proposal lacks signatures')
  const joined = { ...ctx, db: joinTransaction(ctx.db, tx) }
  const { text, isChanged } = await commands[name].execute(joined, tx, { subject, arguments: given }, proposer.address)
  if (!isChanged) throw new InvalidInput(text)
  const proof: DecisionProof = {
    ...{ origin, stateHash, expires: Math.floor(proposal.expiresAt.getTime() / 1000), state, needed, signers },
  }
  const note = { command, subject, reason, decidedBy: proposer.address, approvedBy: approver?.address ?? null }
  const decisionId = await recordOperatorDecision(ctx, tx, { ...note, proof: JSON.stringify(proof) })
  // The change may have waited for locks. A decision that is recorded too late would never pass the verification.
  if (proposal.expiresAt <= ctx.clock.now()) throw new Refusal('DECISION_EXPIRED')
  tx.afterCommit(() => {
    const operators = signers.map(({ address }) => address)
    reportSecurity(ctx, 'operator_decided', name, { decisionId, command, subject, operators })
  })
  return close(ctx, tx, { ...proposal, status: 'executed', outcome: text, decisionId }, approver ?? proposer)
}

async function close(
  ctx: Pick<Ctx, 'clock'>,
  tx: Tx,
  proposal: Proposal,
  { address }: { readonly address: string },
): Promise<Proposal> {
  const closed = { ...proposal, closedBy: address, closedAt: ctx.clock.now() }
  await updateProposal(tx, closed)
  return closed
}
