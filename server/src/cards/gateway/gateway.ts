import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { addSeconds } from '../../lib/clock.ts'
import { InvalidInput, Refusal, UpstreamError } from '../../lib/errors.ts'
import { replayWindowSeconds } from '../../platform/crypto/body-signature.ts'
import { isConnectionFailure, type Tx } from '../../platform/db/db.ts'
import { changeBlock, reportStatus } from '../cards/cards.ts'
import type { CardState } from '../cards/rules.ts'
import { declineLate, receiveMessage } from '../transactions/transactions.ts'
import { withDeadline } from './deadline.ts'
import { answerOf, answerTooLate, networkMessage, source } from './messages.ts'
import { type CardEventType, isOutdated } from './rules.ts'
import type { CardEvent, CardEventAnswer, FileLine, MessageAnswer, PaymentMessage } from './schemas.ts'
import { type CardKey, findCardEvent, findCardKey, findCardStatus, findNewestEvent, insertCardEvent } from './sql.ts'

/**
 * What a card processor says, in our words, given to the same use cases as the simulator's. Owns `card_event`.
 * Invariants: nothing moves but by `card-transactions` and `cards`; an event id has one answer, for ever; a decision is
 * never answered as a decline and kept as an approval.
 */

/** Stands for a card that no processor can name, so that what is unknown is refused in one place. */
const nobodysCard = '00000000-0000-0000-0000-000000000000'

type Named = { readonly cardToken?: string; readonly cardId?: string }

/** A message that asks: answered in time, whatever else. `receivedAt` as `performance.now()` has it. */
export async function decideMessage(ctx: Ctx, body: PaymentMessage, receivedAt: number): Promise<MessageAnswer> {
  checkNamed(body)
  const { issuerDecisionMilliseconds, issuerAnswerMilliseconds } = ctx.config
  return withDeadline(
    { decideBy: receivedAt + issuerDecisionMilliseconds, answerBy: receivedAt + issuerAnswerMilliseconds },
    (isLate) => ctx.db.transaction((tx) => receive(ctx, tx, body, isLate)),
    () => sayTooLate(ctx, body),
    (error) => ctx.log.error({ err: error }, 'a decision that came too late was not stored'),
  )
}

/** A database that takes longer than this to write a row down is away. */
const noteMilliseconds = 250

/** Only what is written down may be said: who sends the message again must hear nothing else. */
async function sayTooLate(ctx: Ctx, body: PaymentMessage): Promise<MessageAnswer> {
  const said = await Promise.race([noteTooLate(ctx, body), delay(noteMilliseconds, null, { ref: false })])
  if (said === null)
    throw new UpstreamError('database', 'unavailable', new Error('a decline could not be written down in time'))
  return said
}

async function noteTooLate(ctx: Ctx, body: PaymentMessage): Promise<MessageAnswer> {
  const card = await findCardKey(ctx.db, lookupKeyOf(body))
  if (card === null) return ctx.db.transaction((tx) => receive(ctx, tx, body))
  const message = networkMessage(body, card.cardId)
  const answer = await declineLate(ctx, card.userId, message)
  return answer === null ? answerTooLate(body.eventId) : answerOf(message, answer)
}

/** A message that tells: the network has decided, so it is taken whenever it comes. */
export async function takeMessage(ctx: Ctx, body: PaymentMessage): Promise<MessageAnswer> {
  checkNamed(body)
  return ctx.db.transaction((tx) => receive(ctx, tx, body))
}

async function receive(ctx: Ctx, tx: Tx, body: PaymentMessage, isLate?: () => boolean): Promise<MessageAnswer> {
  const card = await findCardKey(tx, lookupKeyOf(body))
  const message = networkMessage(body, card?.cardId ?? body.cardId?.toLowerCase() ?? nobodysCard)
  return answerOf(message, await receiveMessage(ctx, tx, card?.userId ?? null, message, isLate))
}

function lookupKeyOf({ cardToken, cardId }: Named): string {
  return cardToken === undefined ? `card:${cardId?.toLowerCase()}` : `card_token:${cardToken}`
}

function checkNamed({ cardToken, cardId }: Named): void {
  if ((cardToken === undefined) === (cardId === undefined)) {
    throw new InvalidInput('body/cardToken or body/cardId is needed, and not both')
  }
}

/** A line of a file before anybody has judged it. */
export type Line = { readonly line: number; readonly read: () => PaymentMessage; readonly eventId: string | null }

/**
 * Each line for itself, in the file's order: a bad one is answered and never stops the others. Only a database that is
 * away ends the file; sent again, what was taken gets its stored answer.
 */
export async function takeFile(ctx: Ctx, lines: readonly Line[]): Promise<FileLine[]> {
  const results: FileLine[] = []
  for (const { line, eventId, read } of lines) {
    try {
      results.push({ line, eventId, status: 200, answer: await takeMessage(ctx, read()) })
    } catch (error) {
      if (isConnectionFailure(error)) throw error
      results.push({ line, eventId, ...refusalOf(ctx, error) })
    }
  }
  return results
}

function refusalOf(ctx: Ctx, error: unknown): { status: number; error: string; message: string } {
  if (error instanceof Refusal) return { status: error.status, error: error.code, message: error.message }
  if (error instanceof InvalidInput) return { status: 400, error: 'VALIDATION', message: error.message }
  ctx.log.error({ err: error }, 'unexpected error')
  return { status: 500, error: 'INTERNAL_ERROR', message: 'Internal server error' }
}

/** Once by its event id, under the user's lock; one that a newer event has overtaken changes nothing. */
export async function takeCardEvent(ctx: Ctx, body: CardEvent): Promise<CardEventAnswer> {
  checkNamed(body)
  const occurredAt = new Date(body.occurredAt)
  const now = ctx.clock.now()
  // One from the future would make outdated whatever follows it. Also refuses what is no instant, such as 23:59:60.
  if (!(occurredAt <= addSeconds(now, replayWindowSeconds))) throw new InvalidInput('body/occurredAt must not be ahead')
  return ctx.db.transaction(async (tx) => {
    const card = await findCardKey(tx, lookupKeyOf(body))
    if (card === null) throw new Refusal('CARD_NOT_FOUND')
    await lockAccount(tx, card.userId)
    const bodyHash = hashOf(card, body.type, occurredAt)
    const stored = await findCardEvent(tx, card.userId, body.eventId)
    if (stored !== null && stored.bodyHash !== bodyHash) {
      ctx.metrics.eventConflicts.inc({ source })
      ctx.log.warn({ source, eventId: body.eventId }, 'an event id came again with another body')
      throw new Refusal('EVENT_ID_REUSED')
    }
    if (stored !== null) return JSON.parse(stored.answer)

    const outdated = isOutdated(body.type, occurredAt, await findNewestEvent(tx, card))
    const status = outdated ? await findCardStatus(tx, card) : (await apply(ctx, tx, card.cardId, body.type)).status
    const answer: CardEventAnswer = {
      eventId: body.eventId,
      cardId: card.cardId,
      outcome: outdated ? 'outdated' : 'applied',
      status,
    }
    const stamp = { eventId: body.eventId, bodyHash, type: body.type, occurredAt, answer: JSON.stringify(answer), now }
    await insertCardEvent(tx, card, stamp)
    return answer
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
