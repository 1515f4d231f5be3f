import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { requireAccount } from '../../identity/users/users.ts'
import { whenReady } from '../../platform/cache/awaitable.ts'
import { keepBounded } from '../../platform/cache/bounded.ts'
import { onePer } from '../../platform/cache/snapshot.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { instantLimits } from '../withdrawals/withdrawals.ts'
import { areSameLimits, balanceRows, type PayoutLimits, parseFigures } from './rules.ts'
import { findReadableBalances } from './sql.ts'

/**
 * What the user has, by currency and token. Owns no table; `ledger/` keeps the figures and says what is spendable.
 * Every answer comes from the figures as they are now. Most are what they were when the user asked last: then the answer
 * is the same text, and is not made again.
 */
type Told = { readonly figures: string | null; readonly limits: PayoutLimits; readonly answer: string }

const mostTold = 10_000
/** Of those who find all places taken. What is kept only to be thrown away costs twice what it could save. */
const admittedShare = 1 / 16

const toldUsers = onePer((_config: Config) => new Map<string, Told>())

/** The answer as JSON. */
export function readBalances(ctx: Ctx, caller: UserCaller): Promise<string> {
  return whenReady(instantLimits(ctx, caller.userId), (limits) => readWithin(ctx, caller, limits))
}

async function readWithin(ctx: Ctx, caller: UserCaller, limits: PayoutLimits): Promise<string> {
  const [row] = await findReadableBalances(ctx.db.reader, caller)
  if (row === undefined) await requireAccount(ctx.db, caller)
  const figures = row?.figures ?? null
  const told = toldUsers(ctx.config)
  const last = told.get(caller.userId)
  if (last && last.figures === figures && areSameLimits(last.limits, limits)) return last.answer
  const { currencies, tokens } = ctx.config
  const answer = JSON.stringify({ data: balanceRows(currencies, tokens, parseFigures(figures), limits) })
  const hasPlace = last !== undefined || told.size < mostTold
  if (hasPlace || Math.random() < admittedShare) keepBounded(told, caller.userId, { figures, limits, answer }, mostTold)
  return answer
}
