/** A block. Its hash also identifies all blocks before it. */
export type Block = {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly seconds: number
}

/**
 * An ERC-20 `Transfer` event. Sender, receiver and amount stay as 32-byte words in hex, since only a few of thousands
 * of logs concern an account. Convert them with `addressIn`, `wordOf` and `BigInt`.
 */
export type TransferLog = {
  readonly blockNumber: number
  readonly blockHash: string
  readonly txHash: string
  readonly transactionIndex: number
  /** The index within the block. */
  readonly logIndex: number
  /** In lower case. */
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amount: string
}

/** Returns the address in a word, in lower case. */
export function addressIn(word: string): string {
  return `0x${word.slice(26)}`
}

export function wordOf(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}

export type Heads = {
  readonly head: Block
  /** The last final block. */
  readonly final: number
}

/** The node responded, but has pruned the state of the block. */
export class StateMissing extends Error {}

/**
 * One node of a chain. Each node is queried separately, so that their responses can be compared. Every call may throw
 * `UpstreamError`, including for an invalid response.
 */
export type ChainNode = {
  /** The host of its URL, whose other parts may contain a key. */
  readonly name: string
  heads(finality: 'finalized' | number): Promise<Heads>
  /** Returns null when the node does not have the block. */
  block(number: number): Promise<Block | null>
  /** Returns all transfers of these tokens, or of all tokens for null. */
  transferLogs(from: number, to: number, tokens: readonly string[] | null): Promise<TransferLog[]>
  /** Returns the index, within the block, of the first log of a transaction. */
  firstLogIndex(txHash: string, blockHash: string): Promise<number>
  /**
   * Returns balances of one token after a block, named by its hash or its number. With a hash, the call fails if the
   * node no longer has the block on its branch. Null: the token did not return a balance. Throws `StateMissing`.
   */
  balances(
    token: string,
    accounts: readonly string[],
    at: { hash: string } | { number: number },
  ): Promise<(bigint | null)[]>
}
