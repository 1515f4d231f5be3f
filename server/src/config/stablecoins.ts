import { Type } from 'typebox'
import { getAddress } from 'viem/utils'
import { type Currency, minorDigits, powerOfTen } from '../lib/money.ts'
import { group, setting } from './setting.ts'

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

/** Returns the token of an amount that the ledger already holds. */
export function tokenOf(tokens: readonly Token[], address: string): Token {
  const token = findToken(tokens, address)
  if (!token) throw new Error(`the ledger holds ${address}, which is not a configured token`)
  return token
}

/** Returns one minor unit of the token's currency, such as a cent, in token units. */
export function minorUnitOf({ currency, decimals }: Pick<Token, 'currency' | 'decimals'>): bigint {
  return powerOfTen(decimals - minorDigits(currency))
}

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

/** A row of the balances: a currency and the decimals that it is shown with. */
export type CurrencyRow = { readonly currency: Currency; readonly decimals: number }

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

const defaultCurrencies: readonly CurrencyRow[] = [
  { currency: 'EUR', decimals: 18 },
  { currency: 'GBP', decimals: 18 },
  { currency: 'USD', decimals: 6 },
]

const decimals = Type.Integer({ minimum: 0, maximum: 36 })

export const stablecoins = group('Stablecoins', 'The tokens of the programme. See "Retiring a token".', {
  tokens: setting('TOKENS', {
    schema: Type.Array(
      Type.Object({
        address: Type.String({ format: 'address' }),
        symbol: Type.String({ minLength: 1, requirement: 'a symbol' }),
        currency: Type.String({ format: 'currency' }),
        decimals,
        chainId: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
      }),
      { minItems: 1, entry: 'token' },
    ),
    inSandbox: [...sandboxTokens],
    shownDefault: 'three test tokens in the sandbox',
    convert: (given, report): readonly Token[] => {
      const tokens = given.map(({ address, symbol, currency, decimals, chainId }) => {
        return { address: getAddress(address), symbol, currency, decimals, chainId }
      })
      if (new Set(tokens.map(({ address }) => address)).size !== tokens.length) {
        report('must not contain an address twice. A token address is unique over all chains.')
      }
      return tokens
    },
    about:
      'JSON array of `{address, symbol, currency, decimals, chainId}`. Cards draw from the tokens in this order. A token that was ever held must stay in the list. A new account gets the currency of its country (GB: GBP; US, BR: USD; else EUR). If no token has that currency, it gets the currency of the first token.',
    hint: 'Use a JSON array of {address, symbol, currency, decimals, chainId}.',
  }),
  currencies: setting('CURRENCIES', {
    schema: Type.Array(Type.Object({ currency: Type.String({ format: 'currency' }), decimals })),
    default: [...defaultCurrencies],
    shownDefault: 'EUR 18, GBP 18, USD 6',
    convert: (given, report): readonly CurrencyRow[] => {
      const rows = given.map(({ currency, decimals }) => ({ currency, decimals }))
      if (new Set(rows.map(({ currency }) => currency)).size !== rows.length) {
        report('must not contain a currency twice.')
      }
      for (const { currency, decimals } of rows) {
        const digits = minorDigits(currency)
        if (decimals < digits) report(`must give ${currency} at least ${digits} decimals, its minor digits.`)
      }
      return rows
    },
    about: 'JSON array of `{currency, decimals}`, one for each row of the balances.',
  }),
  depositNoticeMinimums: setting('DEPOSIT_NOTICE_MINIMUMS', {
    schema: tokenAmounts,
    default: {},
    shownDefault: 'none',
    convert: parseTokenAmounts,
    about:
      'JSON object that maps token addresses to amounts in token units. A smaller deposit is credited, but causes no webhook.',
  }),
})
