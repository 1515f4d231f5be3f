import type { Ctx } from '../../context.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { NetworkAnswer, NetworkMessage, Verdict } from './messages.ts'

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
  if (outcome === 'kept') raiseAlarm(ctx, { area: 'card', reason: 'kept_message' }, { source, eventId, type, cardId })
}
