import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import { asciiJson } from '../platform/db/hot-reads/ascii-json.ts'
import type { EventType } from './rules.ts'
import { appendEvent } from './sql.ts'

/**
 * The outbox: changes to a user's resources, waiting to be published to the user's partner. Owns `event`.
 * `webhooks/publish-outbox.ts` moves events from here to the partners' event logs.
 *
 * Invariants:
 * - An event is written in the transaction of its fact, so neither exists without the other.
 * - A user's events are numbered without gaps in the order of the facts, because both are written under the user's
 *   lock.
 * - Only one worker takes an event. Taken events are deleted, except a user's last one, which the next number follows.
 * - No row is written for a user without a partner, for one whose partner has no webhook endpoint, or for a deposit
 *   below DEPOSIT_NOTICE_MINIMUMS.
 */
export { clearOutbox, type DueEvent, deleteTakenEvents, scanDueEvents, takeEvents } from './sql.ts'

export type Event = { readonly type: EventType; readonly data: object }

/** Appends an event to the outbox. Call it in the transaction of the fact, under the user's lock. */
export async function emit(tx: Tx, userId: string, { type, data }: Event, at: Date): Promise<void> {
  await appendEvent(tx, { userId, eventId: newId(at), type, data: asciiJson(data), at })
}
