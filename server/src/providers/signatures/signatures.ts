import type { Address, Hex } from 'viem'
import type { Requester } from './slots.ts'

/** Verifies contract signatures (EIP-1271, ERC-6492) with a call on their chain. */
export type ContractSignatures = {
  /** Returns whether the chain has a node. */
  supports(chainId: number): boolean
  /**
   * Returns whether the contract accepts the signature. A revert, missing code or any result but the magic value is
   * `false`. A failed, late or malformed RPC response is an `UpstreamError`, never `false`. Rejects a wallet or client
   * that has too many checks in progress.
   */
  verify(claim: ContractSignature): Promise<boolean>
}

export type ContractSignature = Pick<Requester, 'client' | 'isKnown'> & {
  readonly chainId: number
  readonly address: Address
  readonly hash: Hex
  /** Of any length. */
  readonly signature: Hex
}
