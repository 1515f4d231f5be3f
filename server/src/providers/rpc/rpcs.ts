import type { ChainConfig } from '../../lib/chains.ts'
import { UpstreamError } from '../../lib/refusal.ts'
import { createRpc, type Rpc } from './rpc.ts'

/** The nodes of every configured chain, by its id: made once in main.ts and shared by all adapters. */
export type Rpcs = ReadonlyMap<number, Rpc>

export function createRpcs(chains: readonly ChainConfig[]): Rpcs {
  return new Map(chains.map(({ chainId, rpcUrls }) => [chainId, createRpc({ chainId, urls: rpcUrls })]))
}

export function rpcOf(rpcs: Rpcs, chainId: number): Rpc {
  const rpc = rpcs.get(chainId)
  if (!rpc) throw new UpstreamError('rpc', new Error(`no RPC_URL_${chainId} is configured`))
  return rpc
}
