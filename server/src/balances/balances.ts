import type { Ctx } from '../context.ts'
import type { UserCaller } from '../http/access.ts'
import { requireAccount } from '../users/users.ts'
import { instantLimits } from '../withdrawals/withdrawals.ts'
import { balanceRows, type ShownBalance } from './rules.ts'
import { findReadableBalances } from './sql.ts'

/** What the user has, by currency and token. Owns no table; `ledger/` keeps the figures and says what is spendable. */
export async function readBalances(ctx: Ctx, caller: UserCaller) {
  const limits = await instantLimits(ctx, caller.userId)
  const rows = await findReadableBalances(ctx.db.reader, caller)
  if (rows.length === 0) await requireAccount(ctx.db, caller)
  const balances = new Map<string, ShownBalance>()
  for (const row of rows) if (row.token !== null) balances.set(row.token, row)
  return balanceRows(ctx.config.currencies, ctx.config.tokens, balances, limits)
}
