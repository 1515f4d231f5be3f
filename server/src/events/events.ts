import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import { asciiJson } from '../platform/db/hot-reads/ascii-json.ts'
import type { EventType } from './rules.ts'
import { insertEvent } from './sql.ts'

/**
 * The outbox: what became of a user's things, for the partner who brought the user. Owns `event`.
 * Invariants: an event is written in the transaction of its fact, so there is none without the other; a user's events are
 * numbered without a gap, in the order of the facts, since both are written under the user's lock; whoever takes them has
 * them, and of those taken only a user's last one stays. A user of no partner, or of one without a webhook endpoint,
 * costs no row.
 */
export { addNews, type DueEvent, forgetTaken, scanDueEvents, takeEvents } from './sql.ts'

export type Event = { readonly type: EventType; readonly data: object }

/** In the transaction of the fact, under the user's lock. */
export async function emit(tx: Tx, userId: string, { type, data }: Event, at: Date): Promise<void> {
  await insertEvent(tx, { userId, eventId: newId(at), type, data: asciiJson(data), at })
}
