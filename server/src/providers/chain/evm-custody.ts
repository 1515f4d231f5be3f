import type { Config } from '../../config.ts'
import type { CustodyChain } from './custody.ts'
import { createEvmNodes } from './evm-transfers.ts'

/** Chains that tokens live on, and whose balances there are the programme's. */
export function custodyChains({ chains, tokens }: Config, payer: string): CustodyChain[] {
  const used = chains.filter(({ chainId }) => tokens.some((token) => token.chainId === chainId))
  return used.map((chain) => ({
    ...chain,
    nodes: createEvmNodes(chain),
    wallets: [...new Set([...(chain.treasury ? [chain.treasury] : []), payer])],
  }))
}
