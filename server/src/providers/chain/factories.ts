import { getAddress, numberToHex, toFunctionSelector } from 'viem/utils'
import type { ChainConfig } from '../../config/chains.ts'
import { factoryAddress } from '../../lib/deposit-address.ts'
import { RpcRejection } from '../rpc/rpc.ts'
import { type Rpcs, rpcOf } from '../rpc/rpcs.ts'
import { hasCode, word } from './evm-reading.ts'

const treasurySelector = toFunctionSelector('treasury()')

/**
 * Returns the problem of a chain's factory, or null. Deposits to addresses of a wrong factory would be lost. Throws
 * `UpstreamError` when the chain does not respond.
 */
export async function findFactoryProblem(
  rpcs: Rpcs,
  { chainId, factory, treasury }: ChainConfig,
): Promise<string | null> {
  if (factory === null || treasury === null) return null
  const { request } = rpcOf(rpcs, chainId)
  try {
    if (!(await hasCode(request, factory))) {
      // At its own CREATE2 address, only the right factory can be deployed. Anybody can deploy it at any time.
      const canBeDeployed = factory === factoryAddress(treasury)
      return canBeDeployed
        ? null
        : `FACTORY_${chainId} names ${factory}, which has no contract. Deploy the factory or correct the address.`
    }
    const paid = word(await request('eth_call', [{ to: factory, data: treasurySelector }, 'latest']))
    if (paid === BigInt(treasury)) return null
    const payee = getAddress(`0x${numberToHex(paid, { size: 32 }).slice(26)}`)
    return `FACTORY_${chainId} names ${factory}, which pays ${payee} instead of TREASURY_${chainId}. Correct one of them.`
  } catch (error) {
    if (error instanceof RpcRejection)
      return `FACTORY_${chainId} names ${factory}, which is not a factory. Correct the address.`
    throw error
  }
}
