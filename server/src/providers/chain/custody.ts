import type { ChainNode } from './node.ts'

/** A chain that tokens live on, as the check of what is in custody there needs it. */
export type CustodyChain = {
  readonly chainId: number
  readonly finality: 'finalized' | number
  readonly nodes: readonly ChainNode[]
  /** the treasury, the wallet that pays: all but the deposit addresses */
  readonly wallets: readonly string[]
}
