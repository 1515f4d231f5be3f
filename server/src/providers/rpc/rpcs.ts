import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createRpc, type Rpc } from './rpc.ts'

/** The nodes of a chain: with failover, and each one separately. */
export type ChainRpc = Rpc & { readonly nodes: readonly Rpc[] }

/** The nodes of every configured chain by chain id, shared by all adapters. */
export type Rpcs = ReadonlyMap<number, ChainRpc>

export function createRpcs(chains: readonly ChainConfig[]): Rpcs {
  return new Map(
    chains.map(({ chainId, rpcUrls }) => {
      const nodes = rpcUrls.map((url) => createRpc({ chainId, urls: [url] }))
      return [chainId, { ...createRpc({ chainId, urls: rpcUrls }), nodes }]
    }),
  )
}

export function rpcOf(rpcs: Rpcs, chainId: number): ChainRpc {
  const rpc = rpcs.get(chainId)
  if (!rpc)
    throw new UpstreamError('rpc', 'not_configured', new Error(`chain ${chainId} has no node; set RPC_URL_${chainId}`))
  return rpc
}
