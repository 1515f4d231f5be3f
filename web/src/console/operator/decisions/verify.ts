import type { Decision } from '@purser/client'
import { type Hex, hashTypedData, keccak256, recoverAddress, stringToHex } from 'viem'
import type { ControlMessages } from '../text/control/en.ts'

/**
 * Verifies the signatures of a decision in the browser, as docs/operators.md describes them and as
 * `npm run operator -- decisions verify` does. Nothing but the record itself is trusted, and no service is asked.
 */
type Problem = keyof ControlMessages['decisions']['problems']

export type Verified = {
  readonly problems: readonly Problem[]
  readonly signers: readonly Signer[]
  /** The state that the operators saw when they signed. */
  readonly state: Readonly<Record<string, string | null>>
  /** Signatures of contracts, which only a node can verify. */
  readonly contracts: number
}

export type Signer = {
  readonly address: string
  readonly personId: string
  readonly contractChainId: number | null
  readonly signature: string
}

type Proof = {
  readonly origin: string
  readonly stateHash: string
  readonly expires: number
  readonly needed: number
  readonly state: Verified['state']
  readonly signers: readonly Signer[]
}

export async function verifyDecision(decision: Decision): Promise<Verified> {
  const { proof } = decision
  if (!isProof(proof)) return { problems: ['proof'], signers: [], state: {}, contracts: 0 }
  const { signers, state, stateHash, expires, needed } = proof
  const problems: Problem[] = []
  if (hashText(JSON.stringify(sorted(state))) !== stateHash) problems.push('state')
  // An unreadable time is NaN, which is not before the expiry.
  if (!(Date.parse(decision.decidedAt) < expires * 1000)) problems.push('expired')
  if (signers.length < needed) problems.push('missing')
  // At least one person decided, so a decision without signers is rejected here.
  const named = [decision.decidedBy, ...(decision.approvedBy === null ? [] : [decision.approvedBy])]
  if (JSON.stringify(named) !== JSON.stringify(signers.map(({ address }) => address))) problems.push('signers')
  const people = new Set(signers.map(({ personId }) => personId))
  const wallets = new Set(signers.map(({ address }) => address))
  if (people.size < signers.length || wallets.size < signers.length) problems.push('samePerson')
  const hash = hashOf(decision, proof)
  const owned = signers.filter(({ contractChainId }) => contractChainId === null)
  const isSigned = await Promise.all(owned.map((signer) => isSignedBy(hash, signer)))
  if (isSigned.includes(false)) problems.push('signature')
  return { problems, signers, state, contracts: signers.length - owned.length }
}

/** The EIP-712 hash that the wallets signed. */
function hashOf({ command, subject, reason }: Decision, { origin, stateHash, expires }: Proof): Hex {
  return hashTypedData({
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
    message: { command, subject, reasonHash: hashText(reason), stateHash: stateHash as Hex, expires: BigInt(expires) },
  })
}

async function isSignedBy(hash: Hex, { address, signature }: Signer): Promise<boolean> {
  const signer = await recoverAddress({ hash, signature: signature as Hex }).catch(() => null)
  return signer !== null && signer === address
}

const hashText = (text: string): Hex => keccak256(stringToHex(text))

const sorted = (state: Verified['state']) =>
  Object.fromEntries(Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1)))

function isProof(proof: unknown): proof is Proof {
  if (typeof proof !== 'object' || proof === null) return false
  const { origin, stateHash, expires, needed, state, signers }: Partial<Record<keyof Proof, unknown>> = proof
  return (
    typeof origin === 'string' &&
    typeof stateHash === 'string' &&
    /^0x[0-9a-f]{64}$/i.test(stateHash) &&
    typeof expires === 'number' &&
    typeof needed === 'number' &&
    typeof state === 'object' &&
    state !== null &&
    Array.isArray(signers) &&
    signers.every(isSigner)
  )
}

function isSigner(signer: unknown): signer is Signer {
  if (typeof signer !== 'object' || signer === null) return false
  const { address, signature }: Partial<Record<keyof Signer, unknown>> = signer
  return typeof address === 'string' && typeof signature === 'string'
}
