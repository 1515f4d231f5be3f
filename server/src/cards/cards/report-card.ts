import type { Ctx } from '../../context.ts'
import { lockUser, type User } from '../../identity/users/users.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { requireCard, requireMayCreate, saveState } from './cards.ts'
import { withStatus } from './rules.ts'
import { type Card, insertCard, insertCardName, setReplacement, updateLimits } from './sql.ts'

export type CardReport = { readonly reason: 'lost' | 'stolen'; readonly wantsReplacement: boolean }

/**
 * Ends a lost or stolen card for good, and creates a replacement if the owner wants one. Due work creates the
 * replacement at the issuer, so a failure there does not undo the report. Returns the replacement's id, which a
 * repeated report returns again; null: there is none.
 */
export async function reportCard(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  cardId: string,
  { reason, wantsReplacement }: CardReport,
): Promise<string | null> {
  const user = await lockUser(tx, caller)
  const card = await requireCard(tx, { userId: caller.userId, cardId })
  // The issuer has not created this card yet, so it cannot end it.
  const next = card.status === 'provisioning' ? null : withStatus(card, reason)
  await saveState(ctx, tx, card, next, true)
  return card.replacementId ?? (wantsReplacement ? replaceCard(ctx, tx, user, card) : null)
}

/** Reserves a card with the same name and limits. Returns null if the user may not create a card now. */
async function replaceCard(ctx: Ctx, tx: Tx, user: User, card: Card): Promise<string | null> {
  const currency = await requireMayCreate(ctx, tx, user).catch((error: unknown) => {
    // The report itself must not fail.
    if (error instanceof Refusal) return null
    throw error
  })
  if (currency === null) return null
  const now = ctx.clock.now()
  const key = { userId: card.userId, cardId: newId(now) }
  await insertCardName(tx, `card:${key.cardId}`, key)
  await insertCard(tx, { ...key, name: card.name, currency, dueAt: now, now })
  await updateLimits(tx, key, card, now)
  await setReplacement(tx, card, key.cardId)
  return key.cardId
}
