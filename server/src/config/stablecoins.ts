// pure
import { getAddress, isAddress } from 'viem/utils'
import { type Currency, minorDigits } from '../lib/money.ts'
import type { ChainConfig } from './chains.ts'

/** A stablecoin that accounts can hold. `address` is EIP-55 and unique over all chains. */
export type Token = {
  readonly address: string
  readonly symbol: string
  readonly currency: Currency
  readonly decimals: number
  readonly chainId: number
}

export function findToken<T extends { readonly address: string }>(
  tokens: readonly T[],
  address: string,
): T | undefined {
  return tokens.find((token) => token.address === address)
}

/** Of what the books already hold. */
export function tokenOf(tokens: readonly Token[], address: string): Token {
  const token = findToken(tokens, address)
  if (!token) throw new Error(`the books have ${address}, which is not a configured token`)
  return token
}

/** Currency rows of the balances, with the decimals each is shown in. */
export type CurrencyRow = { readonly currency: Currency; readonly decimals: number }

type Problem = (wanted: string) => void

const sandboxTokens: readonly Token[] = [
  {
    address: '0xcB444e90D8198415266c6a2724b7900fb12FC56E',
    symbol: 'EURe',
    currency: 'EUR',
    decimals: 18,
    chainId: 31337,
  },
  {
    address: '0x5Cb9073902F2035222B9749F8fB0c9BFe5527108',
    symbol: 'GBPe',
    currency: 'GBP',
    decimals: 18,
    chainId: 31337,
  },
  {
    address: '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83',
    symbol: 'USDC',
    currency: 'USD',
    decimals: 6,
    chainId: 31337,
  },
]

const defaultCurrencies = [
  { currency: 'EUR', decimals: 18 },
  { currency: 'GBP', decimals: 18 },
  { currency: 'USD', decimals: 6 },
]

export function readJson(given: string, problem: Problem): unknown[] {
  try {
    const parsed: unknown = JSON.parse(given)
    if (Array.isArray(parsed)) return parsed
  } catch {
    // falls through to the same complaint
  }
  problem('must be a JSON array')
  return []
}

export function readTokens(given: string | undefined, problem: Problem): readonly Token[] {
  if (!given) return sandboxTokens
  const tokens: Token[] = []
  for (const entry of readJson(given, problem)) {
    const { address, symbol, currency, decimals, chainId } = Object(entry)
    if (
      typeof address === 'string' &&
      isAddress(address) &&
      typeof symbol === 'string' &&
      symbol !== '' &&
      typeof currency === 'string' &&
      /^[A-Z]{3}$/.test(currency) &&
      Number.isInteger(decimals) &&
      decimals >= 0 &&
      decimals <= 36 &&
      Number.isInteger(chainId) &&
      chainId > 0
    ) {
      tokens.push({ address: getAddress(address), symbol, currency, decimals, chainId })
    } else {
      problem(`an entry is not {address, symbol, currency, decimals, chainId}: ${JSON.stringify(entry)}`)
    }
  }
  if (/^\s*\[\s*\]\s*$/.test(given)) problem('must name a token at least')
  if (new Set(tokens.map((token) => token.address)).size !== tokens.length) {
    problem('an address stands twice; a token address must be unique over all chains')
  }
  return tokens
}

export function readCurrencies(given: string | undefined, problem: Problem): readonly CurrencyRow[] {
  if (!given) return defaultCurrencies
  const rows = readJson(given, problem).flatMap((entry) => {
    const { currency, decimals } = Object(entry)
    if (
      typeof currency === 'string' &&
      /^[A-Z]{3}$/.test(currency) &&
      Number.isInteger(decimals) &&
      decimals >= 0 &&
      decimals <= 36
    ) {
      return [{ currency, decimals }]
    }
    problem(`an entry is not {currency, decimals}: ${JSON.stringify(entry)}`)
    return []
  })
  for (const { currency, decimals } of rows) {
    if (decimals < minorDigits(currency)) problem(`${currency} has more minor digits than its row has decimals`)
  }
  if (new Set(rows.map(({ currency }) => currency)).size !== rows.length) problem('a currency stands twice')
  return rows
}

/** A row must be able to show its tokens exactly, and a token must be able to hold a cent. */
export function checkScales(tokens: readonly Token[], currencies: readonly CurrencyRow[], problem: Problem): void {
  for (const token of tokens) {
    const row = currencies.find(({ currency }) => currency === token.currency)
    if (!row) problem(`${token.symbol} is in ${token.currency}, which is not a configured currency`)
    else if (token.decimals > row.decimals)
      problem(`${token.symbol} has more decimals than the row of ${token.currency} (${row.decimals})`)
    if (token.decimals < minorDigits(token.currency))
      problem(`${token.symbol} has fewer decimals than ${token.currency} has minor digits`)
  }
}

/** A chain that tokens live on must be reachable, and must have a place where their deposits go. */
export function checkChains(
  tokens: readonly Token[],
  chains: readonly ChainConfig[],
  problem: (name: string, wanted: string) => void,
): void {
  for (const chainId of new Set(tokens.map((token) => token.chainId))) {
    const chain = chains.find((chain) => chain.chainId === chainId)
    if (!chain) problem(`RPC_URL_${chainId}`, 'must be set: tokens live on this chain')
    else if (chain.treasury === null) problem(`TREASURY_${chainId}`, 'must be set: tokens live on this chain')
  }
}
