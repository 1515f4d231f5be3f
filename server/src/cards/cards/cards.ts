import type { Ctx } from '../../context.ts'
import { emit } from '../../events/events.ts'
import {
  findUser,
  isOwnerOfOpenUser,
  lockAccount,
  lockUser,
  requireOwner,
  type User,
} from '../../identity/users/users.ts'
import { addSeconds } from '../../lib/clock.ts'
import { InvalidInput, Refusal, UpstreamError } from '../../lib/errors.ts'
import { countForPartner } from '../../partners/activity.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { OwnerKey, UserCaller } from '../../platform/http/access.ts'
import type { ReportedStatus } from '../../providers/issuer/issuer.ts'
import {
  type Blocker,
  type CardKey,
  type CardState,
  type CardStatus,
  cardEvent,
  cardStatuses,
  liveStatuses,
  type Phone,
  parseCardName,
  parsePhone,
  type StatusOfIssuer,
  withBlocker,
  withStatus,
} from './rules.ts'
import {
  type Card,
  clearDue,
  countCards,
  deleteCardholder,
  findCard,
  findCardholder,
  findCards,
  findReadableCard,
  findReadableCards,
  findReadablePhone,
  findUserOfCard,
  hasUnconfirmedCard,
  insertCard,
  insertCardName,
  mayHaveCardAtIssuer,
  renameCards,
  setDue,
  setDueUnless,
  updateIssued,
  updateName,
  updateState,
  upsertCardholder,
} from './sql.ts'

/**
 * Cards and cardholders. Owns `card` and `cardholder`. `rules.ts` has the states and their transitions,
 * `report-card.ts` the report of a lost or stolen card, `own-limits.ts` the owner's limits.
 *
 * Invariants:
 * - A card's row is committed before the issuer is called, so Purser knows every card that the issuer has.
 * - The issuer receives the card id as its idempotency key, so a retry creates no second card.
 * - A card is blocked exactly while it has a blocker.
 * - The card number and security code never reach this module.
 */

export type { Card }
export { findUserOfCard }

/** The time that a request has to create a card. If its process dies, due work continues after this time. */
const creationSeconds = 30

/** Replaces the card name when the user is erased. */
const erasedName = 'Card'

export type NewCard = { readonly cardName: string; readonly phone?: string | undefined }

/**
 * Creates a card at the issuer and waits for it. After a failure the card stays `provisioning`, and due work retries.
 */
export async function createCard(
  ctx: Ctx,
  caller: UserCaller,
  cardId: string,
  { cardName, phone }: NewCard,
): Promise<void> {
  const name = requireName(cardName)
  const key = { userId: caller.userId, cardId }
  await ctx.db.transaction((tx) => reserveCard(ctx, tx, caller, key, name, phone))
  try {
    await provisionCard(ctx, key)
  } catch (error) {
    await setDue(ctx.db, key, ctx.clock.now())
    throw error
  }
}

/**
 * Inserts the card, and the cardholder if this is the first card. Does nothing if an earlier try inserted it. The
 * issuer may reject every card because of the phone number. Another number replaces it once all cards are canceled and
 * the issuer has rejected each of them.
 */
async function reserveCard(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  key: CardKey,
  name: string,
  phone: string | undefined,
): Promise<void> {
  const user = await lockUser(tx, caller)
  if ((await findCard(tx, key)) !== null) return
  const currency = await requireMayCreate(ctx, tx, user)
  const now = ctx.clock.now()
  const isFirst = (await findCardholder(tx, user.userId)) === null
  if (isFirst || (phone !== undefined && !(await mayHaveCardAtIssuer(tx, user.userId)))) {
    await upsertCardholder(tx, user.userId, requirePhone(phone), now)
  }
  await insertCardName(tx, `card:${key.cardId}`, key)
  await insertCard(tx, { ...key, name, currency, dueAt: addSeconds(now, creationSeconds), now })
}

/** Returns the currency of a new card. Throws if the user may not create one now. */
export async function requireMayCreate(ctx: Ctx, tx: Tx, { userId, account, kycStatus }: User): Promise<string> {
  if (account?.status !== 'active') throw new Refusal('ACCOUNT_NOT_ACTIVE')
  if (kycStatus !== 'approved') throw new Refusal('KYC_NOT_APPROVED')
  if ((await countCards(tx, userId, liveStatuses)) >= ctx.config.cardLimit) throw new Refusal('CARD_LIMIT_REACHED')
  return account.currency
}

function requireName(text: string): string {
  const name = parseCardName(text)
  if (name === null) throw new InvalidInput('body/cardName must have 1 to 50 characters and no control characters')
  return name
}

function requirePhone(text: string | undefined): Phone {
  if (text === undefined) throw new Refusal('PHONE_REQUIRED')
  const phone = parsePhone(text)
  if (phone === null) throw new InvalidInput('body/phone must be a valid phone number in E.164, such as +4915123456789')
  return phone
}

/** Creates the card at the issuer, unless it exists there. */
async function provisionCard(ctx: Ctx, key: CardKey): Promise<void> {
  const card = await requireCard(ctx.db, key)
  if (card.cardToken !== null) return
  const { userId, firstName, lastName, partnerId } = await findUser(ctx.db, key.userId)
  const cardholder = await findCardholder(ctx.db, userId)
  if (cardholder === null) throw new Error('a card without a cardholder')
  const issued = await ctx.issuer.createCard({
    cardId: key.cardId,
    cardholder: { userId, firstName, lastName, phone: cardholder.phone },
    cardName: card.name,
    currency: card.currency,
  })
  await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, userId)
    // Otherwise this card's owner would see the number and PIN of the other card.
    if (!(await insertCardName(tx, `card_token:${issued.cardToken}`, key))) {
      throw new UpstreamError('issuer', 'inconsistent', new Error('the card token belongs to another card'))
    }
    const now = ctx.clock.now()
    if (!(await updateIssued(tx, key, issued, now))) return
    if (partnerId !== null) tx.afterCommit(() => countForPartner(ctx, partnerId, 'cards'))
    await emit(tx, userId, { type: 'card.created', data: eventData(await requireCard(tx, key)) }, now)
  })
}

/**
 * Does the due work of a card: creates it at the issuer, or reports its status there. Also creates a card that
 * was canceled in the meantime: an earlier try may have created it, and only the response names it.
 */
export async function informIssuer(ctx: Ctx, key: CardKey): Promise<void> {
  const { cardToken, status } = await requireCard(ctx.db, key)
  if (cardToken === null) {
    try {
      return await provisionCard(ctx, key)
    } catch (error) {
      // The issuer rejected a canceled card, so it has no card to cancel.
      if (status !== 'canceled' || !(error instanceof UpstreamError && error.code === 'rejected')) throw error
      return clearDue(ctx.db, key, status)
    }
  }
  const reported = reportedStatuses[status]
  if (reported !== null) {
    try {
      await ctx.issuer.setCardStatus(cardToken, reported)
    } finally {
      // If the status has changed meanwhile, this call may have overwritten a newer report: report the status again.
      await setDueUnless(ctx.db, key, status, ctx.clock.now())
    }
  }
  await clearDue(ctx.db, key, status)
}

/** The status that the issuer must know; null: it reports this status itself. */
const reportedStatuses: Readonly<Record<CardStatus, ReportedStatus | null>> = {
  provisioning: null,
  active: 'active',
  blocked: 'blocked',
  canceled: 'canceled',
  lost: 'lost',
  stolen: 'stolen',
  expired: null,
}

export async function listCards(ctx: Ctx, caller: UserCaller): Promise<Card[]> {
  const cards = await findReadableCards(ctx.db, caller)
  if (cards.length === 0) await requireOwner(ctx.db, caller)
  return cards
}

/** Returns all cards of any user, newest first. The caller has checked who asks. */
export function listCardsOf(db: Queryable, userId: string): Promise<Card[]> {
  return findCards(db, userId, cardStatuses)
}

export async function readCard(ctx: Ctx, caller: UserCaller, cardId: string): Promise<Card> {
  const card = await findReadableCard(ctx.db, caller, cardId)
  if (card !== null) return card
  await requireOwner(ctx.db, caller)
  throw new Refusal('CARD_NOT_FOUND')
}

/** Returns the card for a view that an owner has approved. The owner's sessions do not matter. */
export async function readApprovedCard(ctx: Ctx, owner: OwnerKey, cardId: string): Promise<Card> {
  if (!(await isOwnerOfOpenUser(ctx.db, owner))) throw new Refusal('ACCESS_REVOKED')
  return requireCard(ctx.db, { userId: owner.userId, cardId })
}

export async function readPhone(ctx: Ctx, caller: UserCaller): Promise<Phone> {
  const phone = await findReadablePhone(ctx.db, caller)
  if (phone !== null) return phone
  await requireOwner(ctx.db, caller)
  throw new Refusal('PHONE_NOT_FOUND')
}

/** Applies a change by the owner. After `unblock`, the card stays `blocked` while another party blocks it. */
export async function changeOwnCard(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  cardId: string,
  change: 'block' | 'unblock' | 'cancel',
): Promise<CardState> {
  await lockUser(tx, caller)
  const card = await requireCard(tx, { userId: caller.userId, cardId })
  const next = change === 'cancel' ? withStatus(card, 'canceled') : withBlocker(card, 'owner', change === 'block')
  return saveState(ctx, tx, card, next, true)
}

/** Changes the name that the owner sees. The issuer keeps the first one. */
export async function renameCard(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  cardId: string,
  cardName: string,
): Promise<Card> {
  const name = requireName(cardName)
  await lockUser(tx, caller)
  const card = await requireCard(tx, { userId: caller.userId, cardId })
  await updateName(tx, card, name, ctx.clock.now())
  return { ...card, name }
}

/** Cancels every live card of a user who is being closed. The caller holds the user's lock. */
export async function cancelCards(ctx: Ctx, tx: Tx, userId: string): Promise<void> {
  for (const card of await findCards(tx, userId, liveStatuses)) {
    await saveState(ctx, tx, card, withStatus(card, 'canceled'), true)
  }
}

/**
 * Erases the cardholder and the card names. The cards stay, because the books refer to them. Without the cardholder,
 * the processor cannot be asked about a card that an earlier try may have created.
 */
export async function eraseCardholder(tx: Tx, userId: string): Promise<void> {
  if (await hasUnconfirmedCard(tx, userId)) {
    throw new InvalidInput(
      'A card of the user is still being canceled at the card processor. Erase the user once that is done.',
    )
  }
  await deleteCardholder(tx, userId)
  await renameCards(tx, userId, erasedName)
}

/** Blocks or unblocks any user's card for the issuer or compliance. */
export async function changeBlock(
  ctx: Ctx,
  tx: Tx,
  cardId: string,
  by: Exclude<Blocker, 'owner'>,
  isBlocking: boolean,
): Promise<CardState> {
  const card = await lockAnyCard(tx, cardId)
  return saveState(ctx, tx, card, withBlocker(card, by, isBlocking), by !== 'issuer')
}

/** Applies a status that the issuer reports. */
export async function reportStatus(ctx: Ctx, tx: Tx, cardId: string, status: StatusOfIssuer): Promise<CardState> {
  const card = await lockAnyCard(tx, cardId)
  return saveState(ctx, tx, card, withStatus(card, status), false)
}

async function lockAnyCard(tx: Tx, cardId: string): Promise<Card> {
  const userId = await findUserOfCard(tx, cardId)
  if (userId === null) throw new Refusal('CARD_NOT_FOUND')
  await lockUser(tx, userId)
  return requireCard(tx, { userId, cardId })
}

export async function saveState(
  ctx: Ctx,
  tx: Tx,
  card: Card,
  next: CardState | null,
  informsIssuer: boolean,
): Promise<CardState> {
  if (next === null) throw new Refusal('INVALID_CARD_STATUS')
  const now = ctx.clock.now()
  const isSame = next.status === card.status && next.blockedBy.length === card.blockedBy.length
  if (!isSame) await updateState(tx, card, next, { dueAt: informsIssuer ? now : null, now })
  if (next.status !== card.status) {
    const type = cardEvent(card.status, next.status)
    await emit(tx, card.userId, { type, data: eventData({ ...card, ...next }) }, now)
  }
  return next
}

function eventData({ cardId, type, status, last4, currency }: Card) {
  return { cardId, type, status, last4, currency }
}

export async function requireCard(db: Queryable, key: CardKey): Promise<Card> {
  const card = await findCard(db, key)
  if (card === null) throw new Refusal('CARD_NOT_FOUND')
  return card
}
