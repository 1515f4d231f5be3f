import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { addSeconds } from '../../lib/clock.ts'
import { InvalidInput, Refusal, UpstreamError } from '../../lib/errors.ts'
import { replayWindowSeconds } from '../../platform/crypto/body-signature.ts'
import { isConnectionFailure, type Queryable, type Tx } from '../../platform/db/db.ts'
import { shortageOf } from '../../platform/db/shortage.ts'
import { changeBlock, reportStatus } from '../cards/cards.ts'
import type { CardKey, CardState } from '../cards/rules.ts'
import { receiveMessage } from '../transactions/receive.ts'
import { declineLate } from '../transactions/transactions.ts'
import { withDeadline } from './deadline.ts'
import { cardMessage, issuerSource, lateResponse, responseOf } from './messages.ts'
import { type CardEventType, isOutdated } from './rules.ts'
import type { CardEvent, CardEventResponse, FileLine, MessageResponse, PaymentMessage } from './schemas.ts'
import { findCardEvent, findCardKey, findCardStatus, findNewestEvent, insertCardEvent } from './sql.ts'

/**
 * The API of the card processor. It passes messages to the same use cases as the simulator. Owns `card_event`.
 *
 * Invariants:
 * - Only `transactions/` moves money, and only `cards/` changes card states.
 * - Every retry of an event id gets the same response.
 * - A message that was declined in the response is never stored as approved.
 */

/** Replaces the id of a card that is not in the directory, so that unknown cards are rejected in one place. */
const unknownCardId = '00000000-0000-0000-0000-000000000000'

type CardReference = { readonly cardToken?: string; readonly cardId?: string }

/** Decides a message before its deadline. `receivedAt` is a time of `performance.now()`. */
export async function decideMessage(ctx: Ctx, body: PaymentMessage, receivedAt: number): Promise<MessageResponse> {
  checkReference(body)
  const { issuerDecisionMilliseconds, issuerAnswerMilliseconds } = ctx.config
  return withDeadline(
    { decideBy: receivedAt + issuerDecisionMilliseconds, answerBy: receivedAt + issuerAnswerMilliseconds },
    (isLate) => ctx.db.transaction((tx) => receive(ctx, tx, body, isLate)),
    () => respondLate(ctx, body),
    (error) => ctx.log.error({ err: error }, 'late decision not stored'),
  )
}

/** A database that takes longer than this to write one row counts as down. */
const storeMilliseconds = 250

/** Responds with a late decline, but only once it is stored: a retry of the message must get the same response. */
async function respondLate(ctx: Ctx, body: PaymentMessage): Promise<MessageResponse> {
  const response = await Promise.race([storeLate(ctx, body), delay(storeMilliseconds, null, { ref: false })])
  if (response === null)
    throw new UpstreamError('database', 'unavailable', new Error('a late decline was not stored in time'))
  return response
}

async function storeLate(ctx: Ctx, body: PaymentMessage): Promise<MessageResponse> {
  const card = await cardKeyOf(ctx, ctx.db, body)
  if (card === null) return ctx.db.transaction((tx) => receive(ctx, tx, body))
  const message = cardMessage(body, card.cardId)
  const decision = await declineLate(ctx, card.userId, message)
  return decision === null ? lateResponse(body.eventId) : responseOf(message, decision)
}

/** Takes a message that the network has already decided, which needs no deadline. */
export async function takeMessage(ctx: Ctx, body: PaymentMessage): Promise<MessageResponse> {
  checkReference(body)
  return ctx.db.transaction((tx) => receive(ctx, tx, body))
}

async function receive(ctx: Ctx, tx: Tx, body: PaymentMessage, isLate?: () => boolean): Promise<MessageResponse> {
  const card = await cardKeyOf(ctx, tx, body)
  const message = cardMessage(body, card?.cardId ?? body.cardId?.toLowerCase() ?? unknownCardId)
  return responseOf(message, await receiveMessage(ctx, tx, card?.userId ?? null, message, isLate))
}

/** Finds a card in the directory. The user of a card never changes, so a result is cached. */
async function cardKeyOf(
  { caches }: Ctx,
  db: Queryable,
  { cardToken, cardId }: CardReference,
): Promise<CardKey | null> {
  const lookupKey = cardToken === undefined ? `card:${cardId?.toLowerCase()}` : `card_token:${cardToken}`
  const known = caches.cardKeys.get(lookupKey)
  if (known !== undefined) return known
  const found = await findCardKey(db, lookupKey)
  if (found !== null) caches.cardKeys.set(lookupKey, found)
  return found
}

function checkReference({ cardToken, cardId }: CardReference): void {
  if ((cardToken === undefined) === (cardId === undefined)) {
    throw new InvalidInput('body must have either cardToken or cardId')
  }
}

/** A line of a clearing file. `read` parses and validates it, and throws if it is invalid. */
export type Line = { readonly line: number; readonly read: () => PaymentMessage; readonly eventId: string | null }

/**
 * Takes the lines of a file in order, each in its own transaction. A rejected line gets an error and does not stop the
 * others. Only a database that is lost or cannot store anything stops the file. When the processor retries the file,
 * the lines that were taken get their stored responses.
 */
export async function takeFile(ctx: Ctx, lines: readonly Line[]): Promise<FileLine[]> {
  const results: FileLine[] = []
  for (const { line, eventId, read } of lines) {
    try {
      results.push({ line, eventId, status: 200, answer: await takeMessage(ctx, read()) })
    } catch (error) {
      if (isConnectionFailure(error) || shortageOf(error) !== null) throw error
      results.push({ line, eventId, ...errorOf(ctx, error) })
    }
  }
  return results
}

function errorOf(ctx: Ctx, error: unknown): { status: number; error: string; message: string } {
  if (error instanceof Refusal) return { status: error.status, error: error.code, message: error.message }
  if (error instanceof InvalidInput) return { status: 400, error: 'VALIDATION', message: error.message }
  ctx.log.error({ err: error }, 'clearing line failed')
  return { status: 500, error: 'INTERNAL_ERROR', message: 'Internal server error' }
}

/** Applies a card event once, under the user's lock. An event older than the card's newest event changes nothing. */
export async function takeCardEvent(ctx: Ctx, body: CardEvent): Promise<CardEventResponse> {
  checkReference(body)
  const occurredAt = new Date(body.occurredAt)
  const now = ctx.clock.now()
  // An event from the future would make all later events outdated. This also rejects impossible times such as 23:59:60.
  if (!(occurredAt <= addSeconds(now, replayWindowSeconds)))
    throw new InvalidInput('body/occurredAt must not be in the future')
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
    const status = outdated ? await findCardStatus(tx, card) : (await apply(ctx, tx, card.cardId, body.type)).status
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
