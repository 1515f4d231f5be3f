import type { Token } from '../../config/stablecoins.ts'

export const tokenLabelNames = ['chain', 'token', 'address'] as const
export type TokenLabel = (typeof tokenLabelNames)[number]

/**
 * Returns the labels of a token's series. Only the address is unique: a token of another chain, or an older contract on
 * the same chain, may have the same symbol.
 */
export function tokenLabels({
  chainId,
  symbol,
  address,
}: Pick<Token, 'chainId' | 'symbol' | 'address'>): Record<TokenLabel, string> {
  return { chain: String(chainId), token: symbol, address }
}
