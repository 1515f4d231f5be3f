import type { Ctx } from '../context.ts'
import type { UserCaller } from '../http/access.ts'
import { whenReady } from '../lib/awaitable.ts'
import { requireAccount } from '../users/users.ts'
import { instantLimits } from '../withdrawals/withdrawals.ts'
import { balanceRows, type PayoutLimits, type ShownBalance } from './rules.ts'
import { findReadableBalances } from './sql.ts'

/** What the user has, by currency and token. Owns no table; `ledger/` keeps the figures and says what is spendable. */
export function readBalances(ctx: Ctx, caller: UserCaller) {
  return whenReady(instantLimits(ctx, caller.userId), (limits) => readWithin(ctx, caller, limits))
}

async function readWithin(ctx: Ctx, caller: UserCaller, limits: PayoutLimits) {
  const rows = await findReadableBalances(ctx.db.reader, caller)
  if (rows.length === 0) await requireAccount(ctx.db, caller)
  const balances = new Map<string, ShownBalance>()
  for (const row of rows) if (row.token !== null) balances.set(row.token, row)
  return balanceRows(ctx.config.currencies, ctx.config.tokens, balances, limits)
}
