import { isNativeCoin } from '../../config/chains.ts'
import type { Ctx } from '../../context.ts'
import { StartError } from '../../lib/errors.ts'
import { scanDueAccountCurrencies, scanDueHeldTokens } from './sql.ts'

/**
 * What the books use must be configured: money in a token that is not would stand in no balance, lists of its deposits
 * and withdrawals would fail, and a card without a token in its currency can be charged nothing. Both are found in as
 * many steps as there are tokens and currencies, however many users there are.
 */
export async function refuseLostTokens({ config, db }: Pick<Ctx, 'config' | 'db'>): Promise<void> {
  const addresses = new Set(config.tokens.map(({ address }) => address))
  const currencies = new Set(config.tokens.map(({ currency }) => currency))
  const [held, used] = await Promise.all([scanDueHeldTokens(db), scanDueAccountCurrencies(db)])
  const lost = [
    ...held
      .filter((address) => !addresses.has(address) && !isNativeCoin(address))
      .map((address) => `${address}: users hold it, or have held it`),
    ...used
      .filter((currency) => !currencies.has(currency))
      .map((currency) => `a token in ${currency}: accounts are in it`),
  ]
  if (lost.length === 0) return
  throw new StartError(`TOKENS does not name what the books use:
${lost.map((what) => `  - ${what}`).join('\n')}
Name it again, as it was. How a token is retired: docs/operations.md, "Tokens that are no longer wanted".`)
}
