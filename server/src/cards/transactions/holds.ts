import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { countsInFold, foldPayment } from './fold.ts'
import { load } from './load.ts'
import { type CardMessage, unknownMerchant } from './messages.ts'
import { receiveMessage } from './receive.ts'
import { holdExpiry } from './rules.ts'
import { findTransaction, setDueAt } from './sql.ts'

/** Ends an expired hold with an expiry message, which takes the same path as the network's messages. */
export async function expireHold(ctx: Ctx, userId: string, cardTransactionId: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, userId)
    const transaction = await findTransaction(tx, userId, cardTransactionId)
    if (transaction?.status !== 'pending') return setDueAt(tx, userId, cardTransactionId, null)
    const { cardId, authorizationCode, createdAt, mcc } = transaction
    const message: CardMessage = {
      source: 'purser',
      eventId: `expiry:${cardTransactionId}`,
      type: 'expiry',
      cardId,
      authorizationCode,
      amount: null,
      isFinal: true,
      isPartialAllowed: false,
      merchant: { name: null, city: null, country: null, mcc: null },
      fallbackMerchant: unknownMerchant,
      rejectsUnmatchedRefund: false,
    }
    const facts = await load(ctx, tx, userId, message)
    const earlier = 'repeated' in facts ? [] : facts.messages
    const { lastApprovedAt } = foldPayment(earlier.filter(countsInFold))
    const expiresAt = holdExpiry(lastApprovedAt ?? createdAt, mcc, ctx.config.holdDays)
    if (expiresAt > ctx.clock.now()) return setDueAt(tx, userId, cardTransactionId, expiresAt)
    await receiveMessage(ctx, tx, userId, message)
  })
}
