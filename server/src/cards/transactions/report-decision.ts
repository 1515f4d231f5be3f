import type { Ctx } from '../../context.ts'
import type { NetworkAnswer, NetworkMessage, Verdict } from './messages.ts'
import type { ReviewReason } from './rules.ts'

/** What people and Prometheus are told of decisions: after the commit, so that only what is true is told, and once. */

/** One line a message; ids, never an amount or a merchant. */
export function observeAnswer(
  ctx: Ctx,
  { source, eventId, type, cardId }: NetworkMessage,
  { authorization_id: authorizationId, denial_code }: NetworkAnswer,
  outcome: Verdict['outcome'] | 'repeated',
  startedAt: number,
): void {
  const code = denial_code ?? 'none'
  const milliseconds = performance.now() - startedAt
  ctx.metrics.cardDecisions.inc({ type, outcome, code })
  ctx.metrics.cardDecisionSeconds.observe({ outcome }, milliseconds / 1000)
  ctx.log.info(
    { source, eventId, type, cardId, authorizationId, outcome, code, milliseconds: Math.round(milliseconds * 10) / 10 },
    'card decision',
  )
  if (outcome === 'kept') alarm(ctx, 'kept_message', { source, eventId, type, cardId })
}

/** Posted or kept all the same, but a person should know. */
export function alarm(ctx: Ctx, reason: ReviewReason | 'kept_message', ids: Readonly<Record<string, string>>): void {
  ctx.metrics.cardAlarms.inc({ reason })
  ctx.log.warn({ ...ids, reason }, 'card alarm')
}
