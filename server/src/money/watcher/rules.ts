import { sum } from '../../lib/money.ts'

/** Blocks asked for at once, to begin with. Halved when a node cannot answer, grown slowly while answers are small. */
export const initialRange = 10
const mostBlocks = 10_000
const wantedLogs = 10_000

export function rangeAfterFailure(blocks: number): number {
  return Math.max(1, Math.floor(blocks / 2))
}

export function rangeAfter(blocks: number, logs: number): number {
  if (logs > wantedLogs) return Math.max(1, Math.floor((blocks * wantedLogs) / logs))
  return logs * 2 > wantedLogs ? blocks : Math.min(mostBlocks, Math.ceil(blocks * 1.25))
}

/** How far behind the last final block hashes are kept: what a reorganization deeper than final is found by. */
export const hashDepth = 1024

export type KnownBlock = { readonly number: number; readonly hash: string }

/**
 * The last known block that is still part of the chain; null: none is. A hash stands for all blocks before it, so the known
 * blocks that still hold all come before those that do not, and a few questions find the last.
 */
export async function lastCommonBlock<B extends KnownBlock>(
  known: readonly B[],
  isHeld: (block: B) => Promise<boolean>,
): Promise<B | null> {
  const blocks = known.toSorted((one, other) => one.number - other.number)
  let [held, gone] = [-1, blocks.length]
  while (gone - held > 1) {
    const middle = Math.floor((held + gone) / 2)
    const block = blocks[middle]
    if (block && (await isHeld(block))) held = middle
    else gone = middle
  }
  return blocks[held] ?? null
}

/** Of one token, into and out of one of our addresses, in one block. */
export type BlockFlow = {
  readonly inbound: readonly bigint[]
  readonly outbound: readonly bigint[]
  /** null: not told by the chain */
  readonly before: bigint | null
  readonly after: bigint | null
}

/**
 * What each inbound transfer of a block brought; null: that cannot be told. Events may claim anything: a fee may be taken on
 * the way, a token may lie. What counts is how the balance changed: if that is what the events add up to, they are true; if
 * not, a transfer that stands alone brought the difference, and of several nobody knows which brought what.
 */
export function arrivals({ inbound, outbound, before, after }: BlockFlow): (bigint | null)[] {
  if (before === null || after === null) return inbound.map(() => null)
  const difference = after - before
  if (difference === sum(inbound) - sum(outbound)) return [...inbound]
  if (inbound.length === 1 && outbound.length === 0) return [difference > 0n ? difference : 0n]
  return inbound.map(() => null)
}
