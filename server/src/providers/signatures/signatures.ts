import type { Address, Hex } from 'viem'

/** Verifies contract signatures (EIP-1271, ERC-6492) with a call on their chain. */
export type ContractSignatures = {
  /** Returns whether the chain has a node. */
  supports(chainId: number): boolean
  /**
   * Returns whether the contract accepts the signature. A revert, missing code or any result but the magic value is
   * `false`. A failed, late or malformed RPC response is an `UpstreamError`, never `false`.
   */
  verify(claim: ContractSignature): Promise<boolean>
}

export type ContractSignature = {
  readonly chainId: number
  readonly address: Address
  readonly hash: Hex
  /** Of any length. */
  readonly signature: Hex
}
