import { parseAbi } from 'viem'
import type { ChainConfig } from '../../lib/chains.ts'
import { factoryAddress } from '../../lib/deposit-address.ts'
import { RpcRefusal, rpcFailure } from '../rpc/rpc.ts'
import { type Rpcs, rpcOf } from '../rpc/rpcs.ts'

const factoryAbi = parseAbi(['function treasury() view returns (address)'])

/**
 * What is wrong with a chain's factory, in words; null: nothing. What is sent to an address of a factory that is not ours, or
 * that pays somebody else, would be out of reach. Throws `UpstreamError` where the chain does not answer.
 */
export async function findFactoryProblem(
  rpcs: Rpcs,
  { chainId, factory, treasury }: ChainConfig,
): Promise<string | null> {
  if (factory === null || treasury === null) return null
  const { client } = rpcOf(rpcs, chainId)
  try {
    if ((await client.getCode({ address: factory })) === undefined) {
      // Where it belongs, it can still be deployed: by anybody, and as nothing else.
      const canFollow = factory === factoryAddress(treasury)
      return canFollow ? null : `FACTORY_${chainId}: there is no contract at ${factory}`
    }
    const paid = await client.readContract({ address: factory, abi: factoryAbi, functionName: 'treasury' })
    return paid === treasury
      ? null
      : `FACTORY_${chainId}: the contract at ${factory} pays ${paid}, not TREASURY_${chainId}`
  } catch (error) {
    const failure = rpcFailure(error)
    if (failure instanceof RpcRefusal) return `FACTORY_${chainId}: the contract at ${factory} is not a factory`
    throw failure
  }
}
