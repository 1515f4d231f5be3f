import type { Address } from 'viem'
import { getAddress, isAddress } from 'viem/utils'
import { factoryAddress } from '../lib/deposit-address.ts'

/** What stands behind the chain's port: made-up hashes, an Anvil that Purser starts, or the nodes of RPC_URL_<chainId>. */
export type ChainKind = 'simulated' | 'anvil' | 'evm'

/** A chain that tokens live on, or that accounts sign in on. */
export type ChainConfig = {
  readonly chainId: number
  /** asked in this order: the next one when one fails */
  readonly rpcUrls: readonly string[]
  /** when a block cannot be replaced any more: by the node's own word, or at so many blocks below the head */
  readonly finality: 'finalized' | number
  /** where deposits are swept to; null: no token lives on the chain */
  readonly treasury: Address | null
  /** of the deposit addresses; null as the treasury is */
  readonly factory: Address | null
  /** no transfer before this block is ours */
  readonly startBlock: bigint
  /** whether transfers of tokens that are not configured are noted: all transfers of the chain are read for that */
  readonly recordsUnknown: boolean
}

const nativePrefix = 'native:'

/** The name in the books of the coin that a chain's fees are paid in. It is no token: no user has a balance in it. */
export function nativeCoin(chainId: number): string {
  return `${nativePrefix}${chainId}`
}

export function isNativeCoin(token: string): boolean {
  return token.startsWith(nativePrefix)
}

/** The sandbox's: an account of Anvil's own, whose key everybody knows. */
export const sandboxTreasury: Address = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'

/** The sandbox's own chain, once it runs at an address. */
export function ownChain(chainId: number, url: string): ChainConfig {
  const factory = factoryAddress(sandboxTreasury)
  return {
    chainId,
    rpcUrls: [url],
    finality: 'finalized',
    treasury: sandboxTreasury,
    factory,
    startBlock: 0n,
    recordsUnknown: true,
  }
}

type Env = Readonly<Record<string, string | undefined>>
type Problem = (name: string, wanted: string) => void

const urlName = /^RPC_URL_([1-9][0-9]{0,9})$/
const largestChainId = 2 ** 31 - 1

/** One chain for each `RPC_URL_<chainId>`, in the order of their ids. */
export function readChains(env: Env, defaultTreasury: Address | null, problem: Problem): readonly ChainConfig[] {
  const ids = Object.keys(env).flatMap((name) => {
    if (!name.startsWith('RPC_URL_') || !env[name]?.trim()) return []
    const chainId = Number(urlName.exec(name)?.[1])
    if (chainId <= largestChainId) return [chainId]
    problem(name, 'must end with a chain id')
    return []
  })
  const chains = ids
    .sort((one, other) => one - other)
    .map((chainId) => readChain(env, chainId, defaultTreasury, problem))
  const factories = new Set(chains.flatMap(({ factory }) => factory ?? []))
  if (factories.size > 1) {
    // An account has one address for all chains, and another factory makes another one.
    for (const { chainId } of chains) {
      problem(`FACTORY_${chainId}`, 'must be the same on every chain; without it, the treasury must be')
    }
  }
  return chains
}

function readChain(env: Env, chainId: number, defaultTreasury: Address | null, problem: Problem): ChainConfig {
  const name = (prefix: string) => `${prefix}_${chainId}`
  const text = (prefix: string) => env[name(prefix)]?.trim() ?? ''

  const rpcUrls = text('RPC_URL')
    .split(',')
    .map((url) => url.trim())
    .filter(Boolean)
  if (rpcUrls.length === 0 || !rpcUrls.every(isPlainUrl)) {
    problem(name('RPC_URL'), 'must be http or https URLs, comma-separated, without a user name in them')
  }

  const finality = text('FINALITY') || 'finalized'
  if (finality !== 'finalized' && !/^[0-9]{1,6}$/.test(finality)) {
    problem(name('FINALITY'), "must be 'finalized' or a number of blocks")
  }
  const startBlock = text('START_BLOCK') || '0'
  if (!/^[0-9]{1,15}$/.test(startBlock)) problem(name('START_BLOCK'), 'must be the number of a block')

  function address(prefix: string): Address | null {
    const given = text(prefix)
    if (isAddress(given)) return getAddress(given)
    if (given !== '') problem(name(prefix), 'must be an address')
    return null
  }

  const treasury = address('TREASURY') ?? defaultTreasury
  const unknownTokens = text('UNKNOWN_TOKENS') || 'record'
  if (!['record', 'ignore'].includes(unknownTokens)) problem(name('UNKNOWN_TOKENS'), 'must be record or ignore')
  return {
    chainId,
    rpcUrls,
    finality: finality === 'finalized' ? finality : Number(finality),
    recordsUnknown: unknownTokens === 'record',
    treasury,
    factory: address('FACTORY') ?? (treasury && factoryAddress(treasury)),
    startBlock: /^[0-9]+$/.test(startBlock) ? BigInt(startBlock) : 0n,
  }
}

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
}
