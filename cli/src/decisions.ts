import type { TypedData } from '../../client/src/wallets.ts'
import { operatorDecisions } from './operator-table.ts'

/**
 * Decisions of operators as EIP-712 typed data. The command line builds the data itself, so that a wallet
 * signs only the change that a person typed. Signatures can therefore be verified without a service.
 */
export type DecisionTerms = {
  /** The origin of the console. */
  readonly origin: string
  /** With its arguments: `payouts decide paid`. */
  readonly command: string
  readonly subject: string
  readonly reason: string
  readonly stateHash: string
  /** In Unix seconds. */
  readonly expires: number
}

export type State = Readonly<Record<string, string | null>>

export async function typedDecision(terms: DecisionTerms): Promise<TypedData> {
  const { origin, command, subject, reason, stateHash, expires } = terms
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
    message: { command, subject, reasonHash: await hashText(reason), stateHash, expires: String(expires) },
  }
}

/** Returns the hash of a state: of its JSON with sorted names and without spaces. */
export function hashState(state: State): Promise<string> {
  const sorted = Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1))
  return hashText(JSON.stringify(Object.fromEntries(sorted)))
}

/** Returns the address of the key that signed the data; null: no key made the signature. */
export async function signerOf(data: TypedData, signature: string): Promise<string | null> {
  const { recoverTypedDataAddress } = await import('viem/utils')
  return recoverTypedDataAddress({ ...data, signature } as never).catch(() => null)
}

async function hashText(text: string): Promise<string> {
  const { keccak256, stringToHex } = await import('viem/utils')
  return keccak256(stringToHex(text))
}

/** A decision of the API or of an evidence bundle. */
export type Decision = {
  readonly seq: string
  readonly command: string
  readonly subject: string
  readonly reason: string
  readonly decidedBy: string
  readonly approvedBy: string | null
  readonly decidedAt: string
  readonly proof: null | {
    readonly origin: string
    readonly stateHash: string
    readonly expires: number
    readonly state: State
    readonly needed: number
    readonly signers: readonly {
      readonly address: string
      readonly personId: string
      readonly contractChainId: number | null
      readonly signature: string
    }[]
  }
}

export type Verified = {
  readonly problems: readonly string[]
  /** The number of signatures of contracts. Only a node of the chain can verify those. */
  readonly contracts: number
  /** One person signed a command that needs two by default. `OPERATOR_POLICIES` may allow that. */
  readonly isOnePerson: boolean
}

/** Verifies a decision. One without a proof is break-glass, and has nothing to verify. */
export async function verifyDecision(decision: Decision): Promise<Verified> {
  const { command, subject, reason, proof, decidedBy, approvedBy, decidedAt } = decision
  const problems: string[] = []
  if (proof === null) return { problems, contracts: 0, isOnePerson: false }
  const { origin, signers, state, stateHash, expires, needed } = proof
  if ((await hashState(state)) !== stateHash) problems.push('the state does not match its hash')
  // An unreadable time is NaN, which is not before the expiry.
  if (!(Date.parse(decidedAt) < expires * 1000)) problems.push('it was decided after it had expired')
  if (signers.length < needed) problems.push(`${needed} signatures are needed, and it has ${signers.length}`)
  // At least one person decided, so a decision without signers is rejected here.
  const named = [decidedBy, ...(approvedBy === null ? [] : [approvedBy])]
  if (JSON.stringify(named) !== JSON.stringify(signers.map(({ address }) => address)))
    problems.push('its operators are not the signers')
  const differ = (values: readonly string[]) => new Set(values).size === signers.length
  if (!differ(signers.map(({ personId }) => personId)) || !differ(signers.map(({ address }) => address))) {
    problems.push('one person signed it twice')
  }
  // A proof can be any JSON, so its fields must not replace those of the decision.
  const data = await typedDecision({ command, subject, reason, origin, stateHash, expires })
  let contracts = 0
  for (const { address, contractChainId, signature } of signers) {
    if (contractChainId !== null) {
      contracts++
      continue
    }
    const signer = await signerOf(data, signature)
    if (signer === null || signer !== address) problems.push(`the signature of ${address} is invalid`)
  }
  // No signature covers the number of people in the proof, so the number comes from the table.
  const people = operatorDecisions.find((each) => `${command} `.startsWith(`${each.command} `))?.people
  return { problems, contracts, isOnePerson: people === 'two' && signers.length < 2 }
}
