import type { Address } from 'viem'
import type { ChainConfig } from '../../config/chains.ts'
import type { ChainNode } from './node.ts'

/** A chain with configured tokens. Its transfers are watched, and its balances are compared with the ledger. */
export type CustodyChain = ChainConfig & {
  readonly nodes: readonly ChainNode[]
  /** Returns all wallets except deposit addresses: the treasury and the payout wallet. Reads the signer's address. */
  wallets(): Promise<readonly Address[]>
}
