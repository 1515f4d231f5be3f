import type { DueWork } from '../../platform/jobs/jobs.ts'
import { informIssuer } from './cards.ts'

/** Finishes cards whose creation was interrupted, and reports changes of status to the issuer. */
export const cardWork: DueWork = {
  table: 'card',
  id: 'card_id',
  run: (ctx, { userId, id }) => informIssuer(ctx, { userId, cardId: id }),
}
