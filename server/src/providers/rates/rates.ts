import type { Currency } from '../../lib/money.ts'

/** Millionths of each currency for one euro. */
export type ExchangeRates = ReadonlyMap<Currency, bigint>

/** Exchange rates for card messages that do not name the billed amount. */
export type RatesProvider = {
  /** Returns the rates that apply now. Must not block: it is called under the user's lock. */
  current(): ExchangeRates
}
