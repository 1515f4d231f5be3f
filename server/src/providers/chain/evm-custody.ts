import type { Address } from 'viem'
import type { Config } from '../../config/config.ts'
import type { CustodyChain } from './custody.ts'
import { createEvmNodes } from './evm-transfers.ts'

/** Chains that tokens live on, and whose balances there are the programme's; the others serve sign-ins alone. */
export function custodyChains({ chains, tokens }: Config, payer: Address): CustodyChain[] {
  const used = chains.filter(({ chainId }) => tokens.some((token) => token.chainId === chainId))
  return used.map((chain) => ({
    ...chain,
    nodes: createEvmNodes(chain),
    wallets: [...new Set([...(chain.treasury ? [chain.treasury] : []), payer])],
  }))
}
