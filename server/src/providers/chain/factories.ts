import { getAddress, numberToHex, toFunctionSelector } from 'viem/utils'
import type { ChainConfig } from '../../config/chains.ts'
import { factoryAddress } from '../../lib/deposit-address.ts'
import { RpcRefusal } from '../rpc/rpc.ts'
import { type Rpcs, rpcOf } from '../rpc/rpcs.ts'
import { hasCode, word } from './evm-reading.ts'

const askForTreasury = toFunctionSelector('treasury()')

/**
 * What is wrong with a chain's factory, in words; null: nothing. What is sent to an address of a factory that is not ours, or
 * that pays somebody else, would be out of reach. Throws `UpstreamError` where the chain does not answer.
 */
export async function findFactoryProblem(
  rpcs: Rpcs,
  { chainId, factory, treasury }: ChainConfig,
): Promise<string | null> {
  if (factory === null || treasury === null) return null
  const ask = rpcOf(rpcs, chainId).request
  try {
    if (!(await hasCode(ask, factory))) {
      // Where it belongs, it can still be deployed: by anybody, and as nothing else.
      const canFollow = factory === factoryAddress(treasury)
      return canFollow ? null : `FACTORY_${chainId}: there is no contract at ${factory}`
    }
    const paid = word(await ask('eth_call', [{ to: factory, data: askForTreasury }, 'latest']))
    if (paid === BigInt(treasury)) return null
    const payee = getAddress(`0x${numberToHex(paid, { size: 32 }).slice(26)}`)
    return `FACTORY_${chainId}: the contract at ${factory} pays ${payee}, not TREASURY_${chainId}`
  } catch (error) {
    if (error instanceof RpcRefusal) return `FACTORY_${chainId}: the contract at ${factory} is not a factory`
    throw error
  }
}
