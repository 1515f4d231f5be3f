import type { ExchangeRates, RatesProvider } from './rates.ts'

/** Fixed rates, so that scripts can predict every converted amount. */
const rates: ExchangeRates = new Map([
  ['AUD', 1_650_000n],
  ['BRL', 6_000_000n],
  ['CAD', 1_500_000n],
  ['CHF', 950_000n],
  ['CZK', 25_000_000n],
  ['DKK', 7_460_000n],
  ['EUR', 1_000_000n],
  ['GBP', 850_000n],
  ['HUF', 400_000_000n],
  ['JPY', 160_000_000n],
  ['KWD', 340_000n],
  ['MXN', 20_000_000n],
  ['NOK', 11_500_000n],
  ['PLN', 4_300_000n],
  ['SEK', 11_200_000n],
  ['USD', 1_100_000n],
])

export function createSandboxRates(): RatesProvider {
  return { current: () => rates }
}
