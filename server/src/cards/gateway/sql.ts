import type { Queryable, Tx } from '../../platform/db/db.ts'
import { type DirectoryName, findName } from '../../platform/db/directory.ts'
import type { CardKey } from '../cards/rules.ts'
import type { CardEventType } from './rules.ts'

/** Finds a card by `card:<id>` or `card_token:<token>`. */
export async function findCardKey(db: Queryable, name: DirectoryName): Promise<CardKey | null> {
  const found = await findName(db, name)
  return found === null || found.refId === null ? null : { userId: found.userId, cardId: found.refId }
}

export async function findCardEvent(
  tx: Tx,
  userId: string,
  eventId: string,
): Promise<{ bodyHash: string; response: string } | null> {
  const [row] = await tx.query<{ bodyHash: string; response: string }>(
    'select body_hash as "bodyHash", response from card_event where user_id = $1 and event_id = $2',
    [userId, eventId],
  )
  return row ?? null
}

/** Returns the time at which the card's newest event occurred, or null without events. */
export async function findNewestEvent(tx: Tx, { userId, cardId }: CardKey): Promise<Date | null> {
  const [row] = await tx.query<{ newest: Date | null }>(
    'select max(occurred_at) as newest from card_event where user_id = $1 and card_id = $2',
    [userId, cardId],
  )
  return row?.newest ?? null
}

export async function insertCardEvent(
  tx: Tx,
  { userId, cardId }: CardKey,
  event: { eventId: string; bodyHash: string; type: CardEventType; occurredAt: Date; response: string; now: Date },
): Promise<void> {
  await tx.query(
    `insert into card_event (user_id, event_id, body_hash, card_id, type, occurred_at, response, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [userId, event.eventId, event.bodyHash, cardId, event.type, event.occurredAt, event.response, event.now],
  )
}
