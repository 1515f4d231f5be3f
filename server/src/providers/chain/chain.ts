/** A token transfer to a deposit address, identified by the position of its log within the transaction's receipt. */
export type Transfer = {
  readonly chainId: number
  readonly txHash: string
  readonly logPosition: number
  /** In EIP-55 form, like every address in this file. */
  readonly token: string
  readonly fromAddress: string
  readonly toAddress: string
  readonly amount: bigint
}

export type TransferKey = Pick<Transfer, 'chainId' | 'txHash' | 'logPosition'>

/** `reorganized`: its block is no longer part of the chain. */
export type TransferState = 'unfinal' | 'final' | 'reorganized'

/** The payout of a withdrawal or return, at one nonce of the payout wallet. */
export type Payout = {
  readonly chainId: number
  readonly token: string
  readonly toAddress: string
  readonly amount: bigint
  readonly nonce: bigint
  /**
   * Part of the transaction, so that the chain alone shows which withdrawal was paid, even after a database restore.
   */
  readonly withdrawalId: string
}

type BumpTime = 'always' | 'below market'

export type SignedPayout = { readonly txHash: string; readonly signedTransaction: string }

/** A payout, with the wallet that has signed it. The chain mines a nonce once per wallet. */
type PayoutOfWallet = Payout & { readonly signer: string }

/** All transactions signed for one nonce of a wallet. The chain mines at most one of them. */
export type SentPayout = PayoutOfWallet & { readonly txHashes: readonly string[] }

/**
 * `unknown`: not mined, but it may still be. `next` is the chain's next nonce; null: the chain has no order of nonces.
 * `mined`: in a block that is not final. `disputed`: the nodes contradict each other.
 * The other states are final, and `fee` is the cost in the chain's native coin. `unpaid`: the transaction succeeded,
 * but the token logged no matching transfer. `replaced`: another transaction used the nonce, and may pay a withdrawal
 * that the ledger has lost.
 */
export type PayoutState =
  | { readonly status: 'unknown'; readonly next: bigint | null }
  | { readonly status: 'mined' | 'disputed'; readonly txHash: string }
  | { readonly status: 'paid' | 'reverted' | 'unpaid'; readonly txHash: string; readonly fee: bigint }
  | ({ readonly status: 'replaced' } & MinedPayout)

/** A transaction of the wallet; `payout` is null when it pays no withdrawal. */
export type MinedPayout = SignedPayout & { readonly payout: Omit<Payout, 'nonce' | 'chainId'> | null }

/** The wallet's balance of a token, and the number of transactions that its native coin can pay for. */
export type PayoutFunds = { readonly amount: bigint; readonly transactions: bigint }

/** Pays withdrawals from the payout wallet. Every call may throw `UpstreamError`. */
export type ChainPayouts = {
  /** Returns the address of the payout wallet on a chain. */
  payoutSigner(chainId: number): Promise<string>
  /** Returns the next nonce, including the pending transactions that any responding node knows. */
  payoutNonce(chainId: number): Promise<bigint>
  /** Returns the wallet's nonce just before the first watched block. Earlier transactions pay no withdrawals. */
  firstNonce(chainId: number): Promise<bigint>
  payoutFunds(chainId: number, token: string): Promise<PayoutFunds>
  /** Signs a payout without sending it. Signing again may return another transaction. */
  signPayout(payout: Payout): Promise<SignedPayout>
  /**
   * Signs the same payout with a higher fee, to replace the first one. Null when the fee would exceed its ceiling, or
   * when another wallet signed the payout: the chain could then mine both transactions. `below market`: null also when
   * the fee is as high as that of a new payout.
   */
  bumpPayoutFee(payout: PayoutOfWallet, signedTransaction: string, when: BumpTime): Promise<SignedPayout | null>
  /** Idempotent: the same bytes are mined at most once. */
  sendPayout(chainId: number, signedTransaction: string): Promise<void>
  payoutState(payout: SentPayout): Promise<PayoutState>
  /** Returns the mined transaction of a nonce, read from the chain alone; null before it is mined. */
  payoutAt(chainId: number, nonce: bigint): Promise<MinedPayout | null>
}

/** The chains of deposits and withdrawals. Every call may throw `UpstreamError`. */
export type ChainProvider = ChainPayouts & {
  /** Returns the user's deposit address on every chain. It never changes, and needs no contract yet. */
  depositAddress(userId: string): string
  /** Null where a watcher follows the chain and finds the state itself. */
  readonly transferState: ((transfer: TransferKey) => Promise<TransferState>) | null
}
