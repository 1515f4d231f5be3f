// pure
import type { Address, Hex } from 'viem'
import { hashTypedData, keccak256, recoverAddress, stringToHex } from 'viem/utils'

/**
 * The signature of a decision: EIP-712 typed data that the proposer and the approver sign. Everything that a verifier
 * needs is stored with the decision, so the signature of a key can be verified years later, without Purser and without
 * a network. Only a node of the chain can verify the signature of a contract.
 */

/** The state of a subject, as the operators saw it. */
export type State = Readonly<Record<string, string | null>>

export type DecisionTerms = {
  /** The origin of the console. A signature for one programme is invalid for another. */
  readonly origin: string
  /** With its arguments, such as `payouts decide paid`. */
  readonly command: string
  readonly subject: string
  readonly reason: string
  readonly stateHash: Hex
  /** In Unix seconds. */
  readonly expires: number
}

/** Returns the typed data for `signTypedData`, as JSON. */
export function typedDecision({ origin, command, subject, reason, stateHash, expires }: DecisionTerms) {
  return {
    domain: { name: `Purser operators of ${origin}`, version: '1' },
    primaryType: 'Decision',
    types: {
      Decision: [
        { name: 'command', type: 'string' },
        { name: 'subject', type: 'string' },
        { name: 'reasonHash', type: 'bytes32' },
        { name: 'stateHash', type: 'bytes32' },
        { name: 'expires', type: 'uint256' },
      ],
    },
    message: { command, subject, reasonHash: hashText(reason), stateHash, expires: String(expires) },
  } as const
}

/** Returns the hash that a wallet signs. */
export function hashDecision(terms: DecisionTerms): Hex {
  const { message, ...typed } = typedDecision(terms)
  return hashTypedData({ ...typed, message: { ...message, expires: BigInt(terms.expires) } })
}

function hashText(text: string): Hex {
  return keccak256(stringToHex(text))
}

/** Returns the hash of a state: of its JSON with sorted names and without spaces. */
export function hashState(state: State): Hex {
  const sorted = Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1))
  return hashText(JSON.stringify(Object.fromEntries(sorted)))
}

export type DecisionSigner = {
  readonly address: string
  readonly personId: string
  /** The chain of a wallet that is a contract; null: the wallet signs with a key. */
  readonly contractChainId: number | null
  readonly signature: Hex
}

/** The proof of a decision, which is stored with it. */
export type DecisionProof = {
  readonly origin: string
  readonly stateHash: Hex
  readonly expires: number
  readonly state: State
  /** The number of people who had to sign. */
  readonly needed: number
  /** The proposer, then the approver. */
  readonly signers: readonly DecisionSigner[]
}

export type SignedDecision = {
  readonly command: string
  readonly subject: string
  readonly reason: string
  readonly decidedBy: string
  readonly approvedBy: string | null
  readonly decidedAt: Date
  readonly proof: DecisionProof
}

/**
 * Returns the problems of a decision's proof, and the number of signatures of contracts. Only a node of the chain can
 * verify those.
 */
export async function verifyProof(decision: SignedDecision): Promise<{ problems: string[]; contracts: number }> {
  const { command, subject, reason, proof, decidedBy, approvedBy, decidedAt } = decision
  const { origin, signers, state, stateHash, expires, needed } = proof
  // A stored proof can be any JSON, so none of its fields may replace a field of the decision.
  const digest = hashDecision({ command, subject, reason, origin, stateHash, expires })
  const problems: string[] = []
  if (hashState(state) !== stateHash) problems.push('the state does not match its hash')
  // An unreadable time is NaN, which is not before the expiry.
  if (!(decidedAt.getTime() < expires * 1000)) problems.push('it was decided after it had expired')
  if (signers.length < needed) problems.push(`${needed} signatures are needed, and it has ${signers.length}`)
  // At least one person decided, so a decision without signers is rejected here.
  const named = [decidedBy, ...(approvedBy === null ? [] : [approvedBy])]
  if (JSON.stringify(named) !== JSON.stringify(signers.map(({ address }) => address)))
    problems.push('its operators are not the signers')
  const people = new Set(signers.map(({ personId }) => personId))
  const wallets = new Set(signers.map(({ address }) => address))
  if (people.size < signers.length || wallets.size < signers.length) problems.push('one person signed it twice')
  let contracts = 0
  for (const { address, contractChainId, signature } of signers) {
    if (contractChainId !== null) {
      contracts++
      continue
    }
    const signer = await recover(digest, signature)
    if (signer === null || signer !== address) problems.push(`the signature of ${address} is invalid`)
  }
  return { problems, contracts }
}

async function recover(hash: Hex, signature: Hex): Promise<Address | null> {
  return recoverAddress({ hash, signature }).catch(() => null)
}
