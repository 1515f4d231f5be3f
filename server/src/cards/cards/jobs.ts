import type { Chore, DueWork } from '../../platform/jobs/jobs.ts'
import { countOverdue } from '../../platform/jobs/overdue.ts'
import { informIssuer } from './cards.ts'

/** Finishes cards whose creation was interrupted, and reports changes of status to the issuer. */
export const cardWork: DueWork = {
  table: 'card',
  id: 'card_id',
  run: (ctx, { userId, id }) => informIssuer(ctx, { userId, cardId: id }),
}

export const cardGauges: Chore = {
  name: 'measure overdue cards',
  everySeconds: () => 60,
  run: async (ctx) => ctx.metrics.overdueCards.set(await countOverdue(ctx, cardWork)),
}
