import type { Address, Hex } from 'viem'

/** Checks signatures of accounts that are contracts (EIP-1271, ERC-6492) with a call on their chain. */
export type ContractSignatures = {
  /** Whether there is an RPC for the chain. */
  supports(chainId: number): boolean
  /**
   * Whether the contract says that the signature over the hash is its own. A revert, no code or any other answer than
   * the magic word is `false`; a failed, late or garbled RPC is an `UpstreamError`, never `false`.
   */
  verify(claim: ContractSignature): Promise<boolean>
}

export type ContractSignature = {
  readonly chainId: number
  readonly address: Address
  readonly hash: Hex
  /** of any length */
  readonly signature: Hex
}
