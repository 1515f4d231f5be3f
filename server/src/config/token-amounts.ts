import { Type } from 'typebox'
import { getAddress } from 'viem/utils'
import { powerOfTen } from '../lib/money.ts'

/** `{"<token address>": "<amount in its unit>"}` */
export const tokenAmounts = Type.Record(Type.String(), Type.String({ format: 'token-units' }), {
  propertyNames: { format: 'address' },
})

type TokenAmounts = Readonly<Record<string, bigint>>

export function parseTokenAmounts(given: Readonly<Record<string, string>>): TokenAmounts {
  return Object.fromEntries(Object.entries(given).map(([address, amount]) => [getAddress(address), BigInt(amount)]))
}

/** Adds an amount of whole tokens for each token that has none. */
export function completeAmounts(
  tokens: readonly { readonly address: string; readonly decimals: number }[],
  given: TokenAmounts,
  wholeTokens: bigint,
): TokenAmounts {
  const defaults = tokens.map(({ address, decimals }) => [address, wholeTokens * powerOfTen(decimals)] as const)
  return { ...Object.fromEntries(defaults), ...given }
}
