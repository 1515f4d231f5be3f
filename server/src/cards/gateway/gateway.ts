import { createHash } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { addSeconds } from '../../lib/clock.ts'
import { InvalidInput, Refusal } from '../../lib/errors.ts'
import { replayWindowSeconds } from '../../platform/crypto/body-signature.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { changeBlock, reportStatus, requireCard } from '../cards/cards.ts'
import type { CardKey, CardState } from '../cards/rules.ts'
import { type CardEventType, isOutdated, issuerSource } from './rules.ts'
import type { CardEvent, CardEventResponse } from './schemas.ts'
import { findCardEvent, findCardKey, findNewestEvent, insertCardEvent } from './sql.ts'

/**
 * The API of the card processor. It passes messages to the same use cases as the simulator. Owns `card_event`.
 *
 * Invariants:
 * - Only `transactions/` moves money, and only `cards/` changes card states.
 * - Every retry of an event id gets the same response.
 * - A message that was declined in the response is never stored as approved, even if its retry is decided at the same
 *   moment.
 */

type CardReference = { readonly cardToken?: string; readonly cardId?: string }

/** Finds a card in the directory. The user of a card never changes, so a result is cached. */
export async function cardKeyOf(
  { caches }: Ctx,
  db: Queryable,
  { cardToken, cardId }: CardReference,
): Promise<CardKey | null> {
  const name =
    cardToken === undefined ? (`card:${cardId?.toLowerCase()}` as const) : (`card_token:${cardToken}` as const)
  const known = caches.cardKeys.get(name)
  if (known !== undefined) return known
  const found = await findCardKey(db, name)
  if (found !== null) caches.cardKeys.set(name, found)
  return found
}

export function checkReference({ cardToken, cardId }: CardReference): void {
  if ((cardToken === undefined) === (cardId === undefined)) {
    throw new InvalidInput('body must have either cardToken or cardId')
  }
}

/**
 * Applies a card event once, under the user's lock. An event older than the card's newest event changes nothing, unless
 * it ends the card.
 */
export async function takeCardEvent(ctx: Ctx, body: CardEvent): Promise<CardEventResponse> {
  checkReference(body)
  const occurredAt = new Date(body.occurredAt)
  const now = ctx.clock.now()
  // An event from the future would make all later events outdated. This also rejects impossible times such as 23:59:60.
  if (!(occurredAt <= addSeconds(now, replayWindowSeconds)))
    throw new InvalidInput('body/occurredAt must be a time that exists and is not in the future')
  return ctx.db.transaction(async (tx) => {
    const card = await cardKeyOf(ctx, tx, body)
    if (card === null) throw new Refusal('CARD_NOT_FOUND')
    await lockAccount(tx, card.userId)
    const bodyHash = hashOf(card, body.type, occurredAt)
    const stored = await findCardEvent(tx, card.userId, body.eventId)
    if (stored !== null && stored.bodyHash !== bodyHash) {
      ctx.metrics.eventConflicts.inc({ source: issuerSource })
      ctx.log.warn({ source: issuerSource, eventId: body.eventId }, 'event id reused with another body')
      throw new Refusal('EVENT_ID_REUSED')
    }
    if (stored !== null) return JSON.parse(stored.response)

    const outdated = isOutdated(body.type, occurredAt, await findNewestEvent(tx, card))
    const { status } = outdated ? await requireCard(tx, card) : await apply(ctx, tx, card.cardId, body.type)
    const response: CardEventResponse = {
      eventId: body.eventId,
      cardId: card.cardId,
      outcome: outdated ? 'outdated' : 'applied',
      status,
    }
    const stamp = {
      eventId: body.eventId,
      bodyHash,
      type: body.type,
      occurredAt,
      response: JSON.stringify(response),
      now,
    }
    await insertCardEvent(tx, card, stamp)
    return response
  })
}

function apply(ctx: Ctx, tx: Tx, cardId: string, type: CardEventType): Promise<CardState> {
  switch (type) {
    case 'blocked':
      return changeBlock(ctx, tx, cardId, 'issuer', true)
    case 'unblocked':
      return changeBlock(ctx, tx, cardId, 'issuer', false)
    case 'activated':
      return reportStatus(ctx, tx, cardId, 'active')
    case 'lost':
    case 'stolen':
    case 'expired':
      return reportStatus(ctx, tx, cardId, type)
  }
}

function hashOf({ cardId }: CardKey, type: CardEventType, occurredAt: Date): string {
  return createHash('sha256')
    .update(JSON.stringify([cardId, type, occurredAt]))
    .digest('base64url')
}
