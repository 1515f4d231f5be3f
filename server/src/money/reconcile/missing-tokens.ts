import { isNativeCoin } from '../../config/chains.ts'
import type { Ctx } from '../../context.ts'
import { StartError } from '../../lib/errors.ts'
import { scanDueAccountCurrencies, scanDueTokens } from './sql.ts'

/**
 * Rejects a configuration that lacks a token or a currency of the books. No balance would show money in an unconfigured
 * token, and the lists of its deposits and withdrawals would fail. A card without a token in its currency could not be
 * charged. The check takes one index step per token and currency, for any number of users.
 */
export async function rejectMissingTokens({ config, db }: Pick<Ctx, 'config' | 'db'>): Promise<void> {
  const addresses = new Set(config.tokens.map(({ address }) => address))
  const currencies = new Set(config.tokens.map(({ currency }) => currency))
  const [held, used] = await Promise.all([scanDueTokens(db), scanDueAccountCurrencies(db)])
  const missing = [
    ...held
      .filter((address) => !addresses.has(address) && !isNativeCoin(address))
      .map((address) => `${address}: users hold this token or have held it`),
    ...used
      .filter((currency) => !currencies.has(currency))
      .map((currency) => `a token in ${currency}: accounts use this currency`),
  ]
  if (missing.length === 0) return
  throw new StartError(`TOKENS lacks tokens that the books use:
${missing.map((each) => `  - ${each}`).join('\n')}
Add them again, unchanged. See "Retiring a token" in docs/operations.md.`)
}
