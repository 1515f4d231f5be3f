/** A block by its place, name and time. The hash stands for all blocks before it, too. */
export type Block = {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly seconds: number
}

/**
 * An ERC-20 `Transfer` event as its log claims it. Sender, receiver and amount are left the words of 32 bytes in hex that the
 * log has, since of thousands of logs few are ours: `addressIn`, `wordOf`, `BigInt`.
 */
export type TransferLog = {
  readonly blockNumber: number
  readonly blockHash: string
  readonly txHash: string
  readonly transactionIndex: number
  /** within its block */
  readonly logIndex: number
  /** in lower case */
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amount: string
}

/** In lower case, as the words of nodes are. */
export function addressIn(word: string): string {
  return `0x${word.slice(26)}`
}

export function wordOf(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}

export type Heads = {
  readonly head: Block /** the last block that cannot be replaced any more */
  readonly final: number
}

/** A node answers, but has not kept the state of a block that is so old. */
export class StateMissing extends Error {}

/**
 * What one node says of its chain. Nodes differ: each is asked by itself, so that two can be compared. Every call may throw
 * `UpstreamError`, also where the answer is not what was asked for.
 */
export type ChainNode = {
  /** Without the key that its address may hold. */
  readonly name: string
  heads(finality: 'finalized' | number): Promise<Heads>
  /** null: the node has no block of that number. */
  block(number: number): Promise<Block | null>
  /** All transfers in the blocks, of these tokens or, where null, of any. */
  transferLogs(from: number, to: number, tokens: readonly string[] | null): Promise<TransferLog[]>
  /** The index, within its block, of the first log of a transaction in that block. */
  firstLogIndex(txHash: string, blockHash: string): Promise<number>
  /** Balances in one token after a block, named by hash or, where it cannot be replaced, number. null: the token does not say. Throws `StateMissing`. */
  balances(
    token: string,
    accounts: readonly string[],
    at: { hash: string } | { number: number },
  ): Promise<(bigint | null)[]>
}
