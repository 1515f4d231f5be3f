import type { Ctx } from '../../context.ts'
import { lockUser } from '../../identity/users/users.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { readCard, requireCard } from './cards.ts'
import { type Card, updateLimits } from './sql.ts'

/**
 * The limits that an owner sets on a card. `transactions/limits.ts` enforces them in addition to the programme's limits,
 * so a later change of the programme's limits needs no change here.
 */

/** In minor units of the card's currency. Null: no limit. */
export type SpendingLimits = { readonly perTransaction: bigint | null; readonly daily: bigint | null }

export type CardLimitsView = SpendingLimits & { readonly currency: string; readonly programme: SpendingLimits }

export async function readLimits(ctx: Ctx, caller: UserCaller, cardId: string): Promise<CardLimitsView> {
  return viewOf(ctx, await readCard(ctx, caller, cardId))
}

/** Replaces both limits. A limit above the programme's is rejected, because it would have no effect. */
export async function changeLimits(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  cardId: string,
  { perTransaction, daily }: SpendingLimits,
): Promise<CardLimitsView> {
  await lockUser(tx, caller)
  const card = await requireCard(tx, { userId: caller.userId, cardId })
  const { programme } = viewOf(ctx, card)
  const isAbove = (limit: bigint | null, cap: bigint | null) => limit !== null && cap !== null && limit > cap
  if (isAbove(perTransaction, programme.perTransaction) || isAbove(daily, programme.daily)) {
    throw new Refusal('LIMIT_ABOVE_PROGRAMME')
  }
  const limits = { limitPerTransaction: perTransaction, limitDaily: daily }
  await updateLimits(tx, card, limits, ctx.clock.now())
  return viewOf(ctx, { ...card, ...limits })
}

function viewOf({ config }: Ctx, { currency, limitPerTransaction, limitDaily }: Card): CardLimitsView {
  const { perTransaction, daily } = config.cardLimits
  return {
    currency,
    perTransaction: limitPerTransaction,
    daily: limitDaily,
    programme: { perTransaction: perTransaction[currency] ?? null, daily: daily[currency] ?? null },
  }
}
