import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createRpc, type Rpc } from './rpc.ts'

/** A chain's nodes: any one that answers, and each by itself. */
export type ChainRpc = Rpc & { readonly nodes: readonly Rpc[] }

/** The nodes of every configured chain, by its id: made once in main.ts and shared by all adapters. */
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
  if (!rpc) throw new UpstreamError('rpc', 'not_configured', new Error(`no RPC_URL_${chainId} is configured`))
  return rpc
}
