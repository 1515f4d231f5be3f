import type { Ctx } from '../../context.ts'
import { emit } from '../../events/events.ts'
import { findUser, lockAccount, lockUser, requireOwner } from '../../identity/users/users.ts'
import { addSeconds } from '../../lib/clock.ts'
import { InvalidInput, Refusal } from '../../lib/errors.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { OwnerKey, UserCaller } from '../../platform/http/access.ts'
import {
  type Blocker,
  type CardKey,
  type CardState,
  type CardStatus,
  cardEvent,
  liveStatuses,
  type Phone,
  parseCardName,
  parsePhone,
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
  insertCard,
  insertCardholder,
  insertCardLookup,
  renameCards,
  setDue,
  setDueUnless,
  updateIssued,
  updateState,
} from './sql.ts'

/**
 * Cards and their holder. Owns `card` and `cardholder`; `rules.ts` has the states and who may change them.
 * Invariants: a card's row is committed, and counts toward the limit, before the issuer hears of it, so no card exists
 * that we do not know; the issuer knows it by our id, so no try makes a second one; a card is blocked exactly while
 * somebody blocks it. Number and code of a card never come here.
 */

export { findUserOfCard }

/** As long as the request that creates the card works on it, due work leaves it alone. */
const creationSeconds = 30

/** In the place of a name that its owner gave. */
const erasedName = 'Card'

export type NewCard = { readonly cardName: string; readonly phone?: string | undefined }

/** Answers when the issuer has made the card. A failure leaves it `provisioning`, and due work goes on with it. */
export async function createCard(
  ctx: Ctx,
  caller: UserCaller,
  cardId: string,
  { cardName, phone }: NewCard,
): Promise<void> {
  const name = parseCardName(cardName)
  if (name === null)
    throw new InvalidInput('body/cardName must have 1 to 50 characters, none of them a control character')
  const key = { userId: caller.userId, cardId }
  await ctx.db.transaction((tx) => reserveCard(ctx, tx, caller, key, name, phone))
  try {
    await provisionCard(ctx, key)
  } catch (error) {
    await setDue(ctx.db, key, ctx.clock.now())
    throw error
  }
}

/** The card as a fact of ours, with a cardholder if this is the first. Nothing new when an earlier try made it. */
async function reserveCard(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  key: CardKey,
  name: string,
  phone: string | undefined,
): Promise<void> {
  const { userId, account, kycStatus } = await lockUser(tx, caller)
  if ((await findCard(tx, key)) !== null) return
  if (account?.status !== 'active') throw new Refusal('ACCOUNT_NOT_ACTIVE')
  if (kycStatus !== 'approved') throw new Refusal('KYC_NOT_APPROVED')
  const now = ctx.clock.now()
  if ((await findCardholder(tx, userId)) === null) await insertCardholder(tx, userId, requirePhone(phone), now)
  if ((await countCards(tx, userId, liveStatuses)) >= ctx.config.cardLimit) throw new Refusal('CARD_LIMIT_REACHED')
  await insertCardLookup(tx, `card:${key.cardId}`, key)
  await insertCard(tx, { ...key, name, currency: account.currency, dueAt: addSeconds(now, creationSeconds), now })
}

function requirePhone(text: string | undefined): Phone {
  if (text === undefined) throw new Refusal('PHONE_REQUIRED')
  const phone = parsePhone(text)
  if (phone === null) throw new InvalidInput('body/phone must be a valid phone number in E.164, such as +4915123456789')
  return phone
}

/** Has the issuer make the card, if it has not yet. */
async function provisionCard(ctx: Ctx, key: CardKey): Promise<void> {
  const card = await requireCard(ctx.db, key)
  if (card.cardToken !== null) return
  const { userId, firstName, lastName } = await findUser(ctx.db, key.userId)
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
    await insertCardLookup(tx, `card_token:${issued.cardToken}`, key)
    const now = ctx.clock.now()
    if (!(await updateIssued(tx, key, issued, now))) return
    await emit(tx, userId, { type: 'card.created', data: eventData(await requireCard(tx, key)) }, now)
  })
}

/** What is owed to the issuer: to be asked for the card, or to be told its status. */
export async function informIssuer(ctx: Ctx, key: CardKey): Promise<void> {
  const { cardToken, status } = await requireCard(ctx.db, key)
  if (cardToken === null) return provisionCard(ctx, key)
  if (status === 'active' || status === 'blocked' || status === 'canceled') {
    try {
      await ctx.issuer.setCardStatus(cardToken, status)
    } finally {
      // Another worker may have told the next one already, and whose call came last nobody knows: it is told once more.
      await setDueUnless(ctx.db, key, status, ctx.clock.now())
    }
  }
  await clearDue(ctx.db, key, status)
}

export async function listCards(ctx: Ctx, caller: UserCaller): Promise<Card[]> {
  const cards = await findReadableCards(ctx.db, caller)
  if (cards.length === 0) await requireOwner(ctx.db, caller)
  return cards
}

export async function readCard(ctx: Ctx, caller: OwnerKey, cardId: string): Promise<Card> {
  const card = await findReadableCard(ctx.db, caller, cardId)
  if (card !== null) return card
  await requireOwner(ctx.db, caller)
  throw new Refusal('CARD_NOT_FOUND')
}

export async function readPhone(ctx: Ctx, caller: UserCaller): Promise<Phone> {
  const phone = await findReadablePhone(ctx.db, caller)
  if (phone !== null) return phone
  await requireOwner(ctx.db, caller)
  throw new Refusal('PHONE_NOT_FOUND')
}

/** The owner blocks, unblocks or cancels. The state after it: still `blocked` when others block the card too. */
export async function changeOwnCard(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  cardId: string,
  change: 'block' | 'unblock' | 'cancel',
): Promise<CardState> {
  await lockUser(tx, caller)
  const card = await requireCard(tx, { userId: caller.userId, cardId })
  const next = change === 'cancel' ? cancelled(card) : withBlocker(card, 'owner', change === 'block')
  return saveState(ctx, tx, card, next, true)
}

/** A card that the issuer has not made cannot be cancelled there. */
function cancelled(card: Card): CardState | null {
  return card.status === 'provisioning' ? null : withStatus(card, 'canceled')
}

/**
 * Ends every live card; the user is leaving, and whoever calls has the user's lock. One that is just being made must be
 * made first.
 */
export async function cancelCards(ctx: Ctx, tx: Tx, userId: string): Promise<void> {
  for (const card of await findCards(tx, userId, liveStatuses)) {
    if (card.cardToken === null) throw new Refusal('CARD_IN_PROGRESS')
    await saveState(ctx, tx, card, withStatus(card, 'canceled'), true)
  }
}

/** What the cards say of the person. The cards themselves belong to the books. */
export async function eraseCardholder(tx: Tx, userId: string): Promise<void> {
  await deleteCardholder(tx, userId)
  await renameCards(tx, userId, erasedName)
}

/** The issuer or compliance blocks or unblocks; whoever knows the card's id speaks of any user's card. */
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

/** The issuer reports what became of a card. */
export async function reportStatus(
  ctx: Ctx,
  tx: Tx,
  cardId: string,
  status: Exclude<CardStatus, 'blocked' | 'canceled'>,
): Promise<CardState> {
  const card = await lockAnyCard(tx, cardId)
  return saveState(ctx, tx, card, withStatus(card, status), false)
}

async function lockAnyCard(tx: Tx, cardId: string): Promise<Card> {
  const userId = await findUserOfCard(tx, cardId)
  if (userId === null) throw new Refusal('CARD_NOT_FOUND')
  await lockUser(tx, userId)
  return requireCard(tx, { userId, cardId })
}

async function saveState(
  ctx: Ctx,
  tx: Tx,
  card: Card,
  next: CardState | null,
  isIssuerOwed: boolean,
): Promise<CardState> {
  if (next === null) throw new Refusal('INVALID_CARD_STATUS')
  const now = ctx.clock.now()
  const isSame = next.status === card.status && next.blockedBy.length === card.blockedBy.length
  if (!isSame) await updateState(tx, card, next, { dueAt: isIssuerOwed ? now : null, now })
  if (next.status !== card.status) {
    const type = cardEvent(card.status, next.status)
    await emit(tx, card.userId, { type, data: eventData({ ...card, ...next }) }, now)
  }
  return next
}

function eventData({ cardId, type, status, last4, currency }: Card) {
  return { cardId, type, status, last4, currency }
}

async function requireCard(db: Queryable, key: CardKey): Promise<Card> {
  const card = await findCard(db, key)
  if (card === null) throw new Refusal('CARD_NOT_FOUND')
  return card
}
