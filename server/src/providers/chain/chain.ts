/** One token transfer into one of our addresses, named by the position of its log within its transaction's receipt. */
export type Transfer = {
  readonly chainId: number
  readonly txHash: string
  readonly logPosition: number
  /** EIP-55, like every address here */
  readonly token: string
  readonly fromAddress: string
  readonly toAddress: string
  readonly amount: bigint
}

export type TransferKey = Pick<Transfer, 'chainId' | 'txHash' | 'logPosition'>

/** `reorganized`: the block that held it is no longer part of the chain. */
export type TransferState = 'unfinal' | 'final' | 'reorganized'

/** The payment of a withdrawal, at its place in the order of the payout wallet's transactions. */
export type Payout = {
  readonly chainId: number
  readonly token: string
  readonly toAddress: string
  readonly amount: bigint
  readonly nonce: bigint
  /** Goes with the transaction: the chain itself says what was paid, whatever a database remembers. */
  readonly withdrawalId: string
}

export type SignedPayout = { readonly txHash: string; readonly signedTransaction: string }

/** All that was signed for one nonce of a wallet: the chain mines one of them at most. */
export type SentPayout = Payout & { readonly signer: string; readonly txHashes: readonly string[] }

/**
 * `unknown` proves nothing: it may still be mined. `next` is the nonce that the chain waits for; null: it keeps no order.
 * `mined` may be undone. The others are final; `fee` is what the transaction cost, in the chain's own coin:
 * `paid`; `reverted`; `unpaid`: it succeeded, yet the token does not say that the payee got the amount;
 * `replaced`: the nonce was used by another transaction, which may pay a withdrawal that the books have lost.
 * `disputed`: one node says something of these, and another contradicts it.
 */
export type PayoutState =
  | { readonly status: 'unknown'; readonly next: bigint | null }
  | { readonly status: 'mined' | 'disputed'; readonly txHash: string }
  | { readonly status: 'paid' | 'reverted' | 'unpaid'; readonly txHash: string; readonly fee: bigint }
  | ({ readonly status: 'replaced' } & MinedPayout)

/** A transaction that the wallet has sent; `payout` null: it pays no withdrawal. */
export type MinedPayout = SignedPayout & { readonly payout: Omit<Payout, 'nonce' | 'chainId'> | null }

/** What the payout wallet holds of a token, and how many transactions the chain's own coin in it pays for. */
export type PayoutFunds = { readonly amount: bigint; readonly transactions: bigint }

/** The wallets that withdrawals are paid from. Every call may throw `UpstreamError`. */
export type ChainPayouts = {
  /** The wallet that pays on this chain. */
  payoutSigner(chainId: number): Promise<string>
  /** The next nonce by the chain's count of all that was sent. */
  payoutNonce(chainId: number): Promise<bigint>
  /** The wallet's first nonce since the chain is watched: what it sent before pays none of ours. */
  firstNonce(chainId: number): Promise<bigint>
  payoutFunds(chainId: number, token: string): Promise<PayoutFunds>
  /** Signs and does not send. The same payout may be signed into other bytes the next time. */
  signPayout(payout: Payout): Promise<SignedPayout>
  /** The same again for a higher fee, so that it takes the other's place; null when that is above the ceiling. */
  outbidPayout(payout: Payout, signedTransaction: string): Promise<SignedPayout | null>
  /** Repeatable: the same bytes are paid at most once. */
  sendPayout(chainId: number, signedTransaction: string): Promise<void>
  payoutState(payout: SentPayout): Promise<PayoutState>
  /** What the wallet used a nonce for, read from the chain alone; null before it is mined. */
  payoutAt(chainId: number, nonce: bigint): Promise<MinedPayout | null>
}

/** The chains that deposits come from and withdrawals go to. Every call may throw `UpstreamError`. */
export type ChainProvider = ChainPayouts & {
  /** Where the user's deposits arrive, on every chain. It never changes, and nothing needs to stand there yet. */
  depositAddress(userId: string): string
  /** null where the chain is watched: then its blocks say so, unasked. */
  readonly transferState: ((transfer: TransferKey) => Promise<TransferState>) | null
}
