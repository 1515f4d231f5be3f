import type { Address } from 'viem'
import type { ChainConfig } from '../../config/chains.ts'
import type { ChainNode } from './node.ts'

/** A chain that tokens live on: what arrives there is watched, and what is in custody there is checked. */
export type CustodyChain = ChainConfig & {
  readonly nodes: readonly ChainNode[]
  /** the treasury, the wallet that pays: all but the deposit addresses */
  readonly wallets: readonly Address[]
}
