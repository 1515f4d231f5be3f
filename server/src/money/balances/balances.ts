import type { Ctx } from '../../context.ts'
import { requireAccount } from '../../identity/users/users.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { instantLimits } from '../withdrawals/withdrawals.ts'
import { areSameLimits, balanceRows, type PayoutLimits, parseFigures } from './rules.ts'
import { findReadableBalances } from './sql.ts'

/**
 * The balances of a user by currency and token. Owns no table: `ledger/` stores the figures and defines what is
 * spendable.
 */
export type CachedBalances = {
  readonly figures: string | null
  readonly limits: PayoutLimits
  readonly response: string
}

/**
 * Returns the response as JSON. Every call reads the current figures. The cache only avoids formatting the same figures
 * and payout limits again.
 */
export async function readBalancesBody(ctx: Ctx, caller: UserCaller): Promise<string> {
  const limits = await instantLimits(ctx, caller.userId)
  const [row] = await findReadableBalances(ctx.db.reader, caller)
  if (row === undefined) await requireAccount(ctx.db, caller)
  const figures = row?.figures ?? null

  const cached = ctx.caches.balances.get(caller.userId)
  if (cached && cached.figures === figures && areSameLimits(cached.limits, limits)) return cached.response
  const { currencies, tokens } = ctx.config
  const response = JSON.stringify({ data: balanceRows(currencies, tokens, parseFigures(figures), limits) })
  ctx.caches.balances.set(caller.userId, { figures, limits, response })
  return response
}
