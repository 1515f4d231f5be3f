import type { SignedPayout } from './chain.ts'

type Sweep = {
  readonly chainId: number
  readonly userIds: readonly string[]
  readonly tokens: readonly string[]
  readonly nonce: bigint
}

/** A token whose transfer from a deposit address failed. */
export type NotSwept = { readonly token: string; readonly address: string }

/**
 * `open`: not known to be mined. `mined`: not final yet. The other states are final. `fee` is in the chain's native
 * coin. `replaced`: another transaction used the nonce.
 */
export type SweepState =
  | { readonly status: 'open' | 'mined' | 'replaced' }
  | { readonly status: 'done' | 'reverted'; readonly fee: bigint; readonly notSwept: readonly NotSwept[] }

/** Moves the balances of deposit addresses to the treasury, and nowhere else. Every call may throw `UpstreamError`. */
export type Sweeper = {
  /** The wallet that pays for gas. */
  readonly address: string
  /** Returns the next nonce, including pending transactions. */
  nextNonce(chainId: number): Promise<bigint>
  /** Returns the lowest reported balance of each address; null where only some nodes report zero. */
  holdings(chainId: number, token: string, addresses: readonly string[]): Promise<(bigint | null)[]>
  /** Signs a sweep without sending it; null while gas is too expensive. */
  sign(sweep: Sweep): Promise<SignedPayout | null>
  /** Signs the same sweep with a higher fee; null when it would exceed the ceiling. */
  bumpFee(chainId: number, signedTransaction: string): Promise<SignedPayout | null>
  /** Idempotent: the same bytes are mined at most once. */
  send(chainId: number, signedTransaction: string): Promise<void>
  state(sent: { chainId: number; nonce: bigint; txHashes: readonly string[] }): Promise<SweepState>
}
