import type { SignedPayout } from './chain.ts'

type Sweep = {
  readonly chainId: number
  readonly userIds: readonly string[]
  readonly tokens: readonly string[]
  readonly nonce: bigint
}

/**
 * `open`: nothing is certain yet; `mined`, not final. The others are final; `fee` is in the chain's own coin, `notSwept` the tokens that refused.
 * `replaced`: the nonce was used by a transaction that is none of ours.
 */
export type SweepState =
  | { readonly status: 'open' | 'mined' | 'replaced' }
  | { readonly status: 'done' | 'reverted'; readonly fee: bigint; readonly notSwept: readonly string[] }

/** Moves what deposit addresses hold to the treasury. It can send it nowhere else. Every call may throw `UpstreamError`. */
export type Sweeper = {
  /** of the wallet that pays for the gas */
  readonly address: string
  /** The next nonce by the chain's count of all that was sent. */
  nextNonce(chainId: number): Promise<bigint>
  /** What each address holds of a token now, at least; null where that is nothing to some nodes, and not to others. */
  holdings(chainId: number, token: string, addresses: readonly string[]): Promise<(bigint | null)[]>
  /** Signs and does not send; null while gas costs too much. */
  sign(sweep: Sweep): Promise<SignedPayout | null>
  /** The same again for a higher fee; null when that would be too much. */
  outbid(chainId: number, signedTransaction: string): Promise<SignedPayout | null>
  /** Repeatable: the same bytes are mined at most once. */
  send(chainId: number, signedTransaction: string): Promise<void>
  state(sent: { chainId: number; nonce: bigint; txHashes: readonly string[] }): Promise<SweepState>
}
