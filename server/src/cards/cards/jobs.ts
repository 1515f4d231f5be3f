import type { DueWork } from '../../platform/jobs/jobs.ts'
import { informIssuer } from './cards.ts'

/** Finishes cards whose creation was interrupted, and tells the issuer of blocks and cancellations. */
export const cardWork: DueWork = {
  table: 'card',
  id: 'card_id',
  run: (ctx, { userId, id }) => informIssuer(ctx, { userId, cardId: id }),
}
