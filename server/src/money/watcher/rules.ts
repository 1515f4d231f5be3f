// pure
import { sum } from '../../lib/money.ts'
import type { TransferKey } from '../../providers/chain/chain.ts'

/** Returns the name by which operators call a transfer: `<chain id>:<transaction hash>:<position of the log>`. */
export function nameOfTransfer({ chainId, txHash, logPosition }: TransferKey): string {
  return `${chainId}:${txHash}:${logPosition}`
}

/** The largest chain id and position that the database stores. */
const maxInteger = 2 ** 31 - 1

/** Parses the name of a transfer. Returns null for every other text, so that each transfer has one name. */
export function parseTransferName(name: string): TransferKey | null {
  const [chain = '', txHash = '', position = ''] = name.split(':')
  const key = { chainId: Number(chain), txHash, logPosition: Number(position) }
  const isStored = [key.chainId, key.logPosition].every(
    (each) => Number.isInteger(each) && each >= 0 && each <= maxInteger,
  )
  return isStored && nameOfTransfer(key) === name ? key : null
}

/**
 * The initial number of blocks per request. It is halved after a failure, and grows slowly while responses are small.
 */
export const initialRange = 10
const maxRange = 10_000
const targetLogs = 10_000

export function rangeAfterFailure(blocks: number): number {
  return Math.max(1, Math.floor(blocks / 2))
}

export function rangeAfter(blocks: number, logs: number): number {
  if (logs > targetLogs) return Math.max(1, Math.floor((blocks * targetLogs) / logs))
  return logs * 2 > targetLogs ? blocks : Math.min(maxRange, Math.ceil(blocks * 1.25))
}

/**
 * Hashes of blocks more than this many below the last final block are deleted. The others reveal a reorganization below
 * the final block.
 */
export const hashDepth = 1024

export type KnownBlock = { readonly number: number; readonly hash: string }

/**
 * Returns the last known block that is still canonical, or null. A block's hash implies all blocks before it, so a
 * binary search finds it.
 */
export async function lastCommonBlock<B extends KnownBlock>(
  known: readonly B[],
  isCanonical: (block: B) => Promise<boolean>,
): Promise<B | null> {
  const blocks = known.toSorted((one, other) => one.number - other.number)
  let [canonical, replaced] = [-1, blocks.length]
  while (replaced - canonical > 1) {
    const middle = Math.floor((canonical + replaced) / 2)
    const block = blocks[middle]
    if (block && (await isCanonical(block))) canonical = middle
    else replaced = middle
  }
  return blocks[canonical] ?? null
}

/**
 * Returns up to `max` of the ascending blocks, beginning with the first one after `last`, then again from the lowest.
 */
export function nextInTurn(blocks: readonly number[], last: number, max: number): number[] {
  const later = blocks.filter((number) => number > last)
  return [...later, ...blocks.slice(0, blocks.length - later.length)].slice(0, max)
}

/** The transfers of one token into and out of one of our addresses, in one block. */
export type BlockFlow = {
  readonly inbound: readonly bigint[]
  readonly outbound: readonly bigint[]
  /** the balances before and after the block; null: unknown */
  readonly before: bigint | null
  readonly after: bigint | null
}

/**
 * Returns the amount that each inbound transfer of a block credited; null: unknown. An event can claim any amount: a
 * token may charge a fee or emit false events. Only the change of the balance counts. If it equals the sum of the
 * events, they are true. Otherwise, a single transfer credited the difference. With several transfers, in or out, the
 * shares are unknown.
 */
export function arrivals({ inbound, outbound, before, after }: BlockFlow): (bigint | null)[] {
  if (before === null || after === null) return inbound.map(() => null)
  const difference = after - before
  if (difference === sum(inbound) - sum(outbound)) return [...inbound]
  if (inbound.length === 1 && outbound.length === 0) return [difference > 0n ? difference : 0n]
  return inbound.map(() => null)
}
