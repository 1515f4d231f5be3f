import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { type Ask, finalBlock, quantity } from './evm-reading.ts'

/** What one node has said of a block, and whether another says so too. */
type Claim = {
  readonly block: bigint
  /** null: asked of any block, final or not */
  readonly finality: ChainConfig['finality'] | null
  /** so many nodes must bear it out, where there are as many */
  readonly words: number
  isBorneOut(ask: Ask): Promise<boolean>
}

/**
 * Asks each node by itself. False when one contradicts; one that does not answer, or is behind that block, has no say.
 * Throws while too few have one.
 */
export async function agree(nodes: readonly Ask[], claim: Claim): Promise<boolean> {
  const words = (await wordsOf(nodes, (ask) => wordOf(ask, claim))).filter((word) => word !== null)
  if (words.includes(false)) return false
  requireWords(nodes, words, claim.words)
  return true
}

/** What each node says by itself. At least two of several must answer. */
export async function wordsOfTwo<T>(nodes: readonly Ask[], read: (ask: Ask) => Promise<T>): Promise<T[]> {
  const words = await wordsOf(nodes, read)
  requireWords(nodes, words, 2)
  return words
}

async function wordsOf<T>(nodes: readonly Ask[], read: (ask: Ask) => Promise<T>): Promise<T[]> {
  const answers = await Promise.allSettled(nodes.map(read))
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}

function requireWords(nodes: readonly Ask[], words: readonly unknown[], wanted: number): void {
  if (words.length >= Math.min(wanted, nodes.length)) return
  throw new UpstreamError(
    'chain',
    'inconsistent',
    new Error(`${words.length} of ${nodes.length} nodes can say how it is`),
  )
}

async function wordOf(ask: Ask, { block, finality, isBorneOut }: Claim): Promise<boolean | null> {
  const reached = finality === null ? quantity(await ask('eth_blockNumber', [])) : await finalBlock(ask, finality)
  return reached < block ? null : isBorneOut(ask)
}
