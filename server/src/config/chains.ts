import { Type } from 'typebox'
import type { Address } from 'viem'
import { getAddress } from 'viem/utils'
import { factoryAddress } from '../lib/deposit-address.ts'
import { encryptedUrl } from './outbound.ts'
import { family, group, optional, setting, type ValuesOf } from './setting.ts'
import { isTestAccount } from './test-accounts.ts'

/** The adapter of the chain port: a simulation, an Anvil that Purser starts, or the nodes of `RPC_URL_<chainId>`. */
export type ChainKind = 'simulated' | 'anvil' | 'evm'

const nativePrefix = 'native:'

/** Returns the ledger's name for the coin that pays a chain's fees. It is not a token: no user has a balance in it. */
export function nativeCoin(chainId: number): string {
  return `${nativePrefix}${chainId}`
}

export function isNativeCoin(token: string): boolean {
  return token.startsWith(nativePrefix)
}

/** The treasury of the sandbox: a funded account of Anvil. Its key is public. */
export const sandboxTreasury: Address = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'

/** Below it are the zero address, the precompiles, and examples. Nobody has their keys. */
const firstOwnAddress = 0x10000n

const address = Type.String({ format: 'address' })
const ownAccount = {
  requirement: 'an address of your own (not one below 0x10000 or a test account of Anvil or Hardhat)',
  holds: (address: Address | null) =>
    address === null || (BigInt(address) >= firstOwnAddress && !isTestAccount(address)),
}
const maxChainId = 2 ** 31 - 1
const isChainId = (text: string) => /^[1-9][0-9]{0,9}$/.test(text) && Number(text) <= maxChainId

export const chains = group('Chains', 'See "Chains".', {
  chain: optional('CHAIN', {
    schema: Type.Enum(['simulated', 'anvil', 'evm']),
    shownDefault: 'see "Chains"',
    inProduction: {
      requirement: 'evm',
      holds: (kind) => kind === 'evm',
    },
    about:
      '`evm` uses the nodes of `RPC_URL_<chainId>`. In the sandbox, `anvil` starts a chain and `simulated` uses none.',
  }),
  chains: family(
    '<chainId>',
    { test: isChainId, requirement: `a chain id from 1 to ${maxChainId}` },
    {
      /** In order of preference: the next one is used when one fails. */
      rpcUrls: setting('RPC_URL_<chainId>', {
        schema: Type.Array(Type.String({ format: 'node-url' }), { minItems: 1, entry: 'URL' }),
        // Hosted nodes have the API key in the path.
        secret: true,
        inProduction: encryptedUrl,
        shownDefault: 'none',
        about: "The chain's nodes, separated by commas: `https://one.example/key,https://two.example`.",
      }),
      /** The sandbox's default is for chains of Anvil, so production has none. */
      treasury: optional('TREASURY_<chainId>', {
        schema: address,
        inSandbox: sandboxTreasury,
        shownDefault: 'an account of Anvil in the sandbox',
        inProduction: ownAccount,
        convert: (text) => getAddress(text),
        about: 'The address that deposits are swept to. Needed on each chain of `TOKENS`.',
      }),
      factory: optional('FACTORY_<chainId>', {
        schema: address,
        shownDefault: 'derived from the treasury',
        convert: (text) => getAddress(text),
        about: 'The factory of the deposit addresses. It is the same on all chains.',
      }),
      finality: setting('FINALITY_<chainId>', {
        schema: Type.String({ pattern: '^(finalized|[0-9]{1,6})$', requirement: 'finalized or a number of blocks' }),
        default: 'finalized',
        // At depth 0, a block counts as permanent before any other block confirms it.
        inProduction: { requirement: 'finalized or at least 1', holds: (depth: 'finalized' | number) => depth !== 0 },
        convert: (text): 'finalized' | number => (text === 'finalized' ? text : Number(text)),
        about:
          "The point from which a block counts as permanent: the node's `finalized` block, or a number of blocks below the head.",
      }),
      startBlock: setting('START_BLOCK_<chainId>', {
        schema: Type.String({ pattern: '^[0-9]{1,15}$', requirement: 'the number of a block' }),
        default: '0',
        convert: (digits) => BigInt(digits),
        about: 'The first block that is read. Set it before the first start, and never raise it.',
      }),
      explorer: optional('EXPLORER_URL_<chainId>', {
        schema: Type.String({ format: 'public-url' }),
        inProduction: encryptedUrl,
        convert: (url) => url.replace(/\/+$/, ''),
        about:
          'The URL of a block explorer: `https://gnosisscan.io`. Apps append `/tx/<hash>` and `/address/<address>`.',
      }),
      /** Recording unknown tokens means reading all transfers of the chain. */
      recordsUnknown: setting('UNKNOWN_TOKENS_<chainId>', {
        schema: Type.Enum(['record', 'ignore']),
        default: 'record',
        convert: (given) => given === 'record',
        about: '`ignore` reads only transfers of the configured tokens, and records no others. Use it for busy chains.',
      }),
    },
  ),
})

type ChainValues = ValuesOf<typeof chains.specs>['chains'][number]

/** A chain with nodes, for tokens or for the sign-in of contract wallets. Without tokens, the treasury may be null. */
export type ChainConfig = Omit<ChainValues, 'suffix'> & { readonly chainId: number }

/** Adds the id of a chain, and the factory that its treasury implies. */
export function chainConfig({ suffix, treasury, factory, ...values }: ChainValues): ChainConfig {
  const factoryOrDefault = factory ?? (treasury && factoryAddress(treasury))
  return { ...values, chainId: Number(suffix), treasury, factory: factoryOrDefault }
}

/** Describes the sandbox's own chain, which runs at a URL. */
export function ownChain(chainId: number, url: string): ChainConfig {
  return {
    chainId,
    rpcUrls: [url],
    finality: 'finalized',
    treasury: sandboxTreasury,
    factory: factoryAddress(sandboxTreasury),
    startBlock: 0n,
    explorer: null,
    recordsUnknown: true,
  }
}
