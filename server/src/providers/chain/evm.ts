import type { ChainConfig } from '../../config/chains.ts'
import { depositAddress, simulatedAddress } from '../../lib/deposit-address.ts'
import type { PayoutSigner } from '../payout-signer/payout-signer.ts'
import type { Rpcs } from '../rpc/rpcs.ts'
import type { ChainProvider } from './chain.ts'
import { createEvmPayouts } from './evm-payouts.ts'

/** Creates the chain port on real nodes. The watcher finds deposits, and payouts are signed here. */
export function createEvmChain(options: {
  readonly rpcs: Rpcs
  readonly chains: readonly ChainConfig[]
  readonly signer: PayoutSigner
  readonly feeCeilingPerGas: bigint
}): ChainProvider {
  // The configuration ensures that all chains have the same factory, or none.
  const [factory] = options.chains.flatMap((chain) => chain.factory ?? [])
  return {
    ...createEvmPayouts(options),
    transferState: null,
    depositAddress: (userId) => (factory ? depositAddress(factory, userId) : simulatedAddress(userId)),
  }
}
