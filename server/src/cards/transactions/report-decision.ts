import type { Ctx } from '../../context.ts'
import { countForPartner } from '../../partners/activity.ts'
import type { CardDecision, CardMessage } from './messages.ts'
import { isOpening } from './rules.ts'

/** Counts and logs a decision. Call it after the commit. Logs ids only, never an amount or a merchant. */
export function reportDecision(
  ctx: Ctx,
  { source, eventId, type, cardId }: CardMessage,
  { outcome: decided, declineCode, authorizationId }: CardDecision,
  { isRepeated, receivedAt, partnerId }: { isRepeated: boolean; receivedAt: number; partnerId: string | null },
): void {
  const outcome = isRepeated ? 'repeated' : decided
  const code = declineCode ?? 'none'
  const milliseconds = Math.round((performance.now() - receivedAt) * 10) / 10
  ctx.metrics.cardDecisions.inc({ type, outcome, code })
  ctx.metrics.cardDecisionSeconds.observe({ outcome }, milliseconds / 1000)
  if (partnerId !== null && isOpening(type) && decided !== 'deferred') {
    countForPartner(ctx, partnerId, declineCode === null ? 'transactions' : `declines:${declineCode}`)
  }
  const ids = { source, eventId, type, cardId }
  ctx.log.info(
    { ...ids, authorizationId: Number(authorizationId), outcome, code, milliseconds },
    'card message decided',
  )
}
