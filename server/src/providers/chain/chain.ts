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

/** `reorganised`: the block that held it is no longer part of the chain. */
export type TransferState = 'unfinal' | 'final' | 'reorganised'

type Payout = {
  readonly chainId: number
  readonly token: string
  readonly toAddress: string
  readonly amount: bigint
  readonly nonce: bigint
}

export type SignedPayout = { readonly txHash: string; readonly signedTransaction: string }

/** `unknown` proves nothing: the transaction may still be mined. The other two are final. */
export type PayoutState = 'unknown' | 'paid' | 'reverted'

/** The chains that deposits come from and withdrawals go to. Every call may throw `UpstreamError`. */
export type ChainProvider = {
  /** null where the chain is watched: then its blocks say so, unasked. */
  readonly transferState: ((transfer: TransferKey) => Promise<TransferState>) | null
  /** Where the user's deposits arrive, on every chain. It never changes, and nothing needs to stand there yet. */
  depositAddress(userId: string): string
  /** The wallet that pays on this chain. */
  payoutSigner(chainId: number): Promise<string>
  /** The next nonce by the chain's count. */
  payoutNonce(chainId: number): Promise<bigint>
  /** What the payout wallet holds of a token. */
  payoutFunds(chainId: number, token: string): Promise<bigint>
  /** Signs and does not send. The same payout may be signed into other bytes the next time. */
  signPayout(payout: Payout): Promise<SignedPayout>
  /** Repeatable: the same bytes are paid at most once. */
  sendPayout(chainId: number, signedTransaction: string): Promise<void>
  payoutState(chainId: number, txHash: string): Promise<PayoutState>
}
