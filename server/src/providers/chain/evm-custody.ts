import type { Config } from '../../config/config.ts'
import type { PayoutSigner } from '../payout-signer/payout-signer.ts'
import type { CustodyChain } from './custody.ts'
import { createEvmNodes } from './evm-transfers.ts'

/** Returns the chains with configured tokens. Other chains only serve sign-ins. */
export function custodyChains({ chains, tokens }: Config, signer: PayoutSigner): CustodyChain[] {
  const used = chains.filter(({ chainId }) => tokens.some((token) => token.chainId === chainId))
  return used.map((chain) => ({
    ...chain,
    nodes: createEvmNodes(chain),
    wallets: async () => [...new Set([...(chain.treasury ? [chain.treasury] : []), await signer.address()])],
  }))
}
