import { mayReadAccount, sessionOf } from '../../identity/users/users.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { type DirectoryName, findName, findUserByName, takeName } from '../../platform/db/directory.ts'
import type { SessionKey, UserCaller } from '../../platform/http/access.ts'
import type { IssuedCard } from '../../providers/issuer/issuer.ts'
import type { CardKey, CardState, cardTypes, Phone } from './rules.ts'

/** The issuer's fields are null until it has created the card. */
export type Card = CardKey &
  CardState & {
    readonly name: string
    readonly type: (typeof cardTypes)[number]
    readonly currency: string
    readonly cardToken: string | null
    readonly last4: string | null
    readonly expiryMonth: number | null
    readonly expiryYear: number | null
    readonly limitPerTransaction: bigint | null
    readonly limitDaily: bigint | null
    /** the card that replaces this one, which was lost or stolen */
    readonly replacementId: string | null
    readonly createdAt: Date
  }

const columns = `user_id as "userId", card_id as "cardId", name, type, status, blocked_by as "blockedBy", currency,
  card_token as "cardToken", last4, expiry_month as "expiryMonth", expiry_year as "expiryYear",
  limit_per_transaction as "limitPerTransaction", limit_daily as "limitDaily", replacement_id as "replacementId",
  created_at as "createdAt"`

export async function findCard(db: Queryable, { userId, cardId }: CardKey): Promise<Card | null> {
  const [row] = await db.query<Card>(`select ${columns} from card where user_id = $1 and card_id = $2`, [
    userId,
    cardId,
  ])
  return row ?? null
}

/** Returns the card, or null if it does not exist or the session has ended. */
export async function findReadableCard(db: Queryable, caller: SessionKey, cardId: string): Promise<Card | null> {
  const [row] = await db.query<Card>(
    `select ${columns} from card where user_id = $1 and ${mayReadAccount} and card_id = $4`,
    [...sessionOf(caller), cardId],
  )
  return row ?? null
}

/** Returns the cards, newest first, or none if the wallet may not read them. */
export async function findReadableCards(db: Queryable, caller: UserCaller): Promise<Card[]> {
  return db.query<Card>(
    `select ${columns} from card where user_id = $1 and ${mayReadAccount} order by created_at desc, card_id desc`,
    sessionOf(caller),
  )
}

export async function findCards(db: Queryable, userId: string, statuses: readonly string[]): Promise<Card[]> {
  return db.query<Card>(
    `select ${columns} from card where user_id = $1 and status = any($2) order by created_at desc, card_id desc`,
    [userId, statuses],
  )
}

export async function updateName(tx: Tx, { userId, cardId }: CardKey, name: string, now: Date): Promise<void> {
  await tx.query('update card set name = $3, updated_at = $4 where user_id = $1 and card_id = $2', [
    userId,
    cardId,
    name,
    now,
  ])
}

export async function updateLimits(
  tx: Tx,
  { userId, cardId }: CardKey,
  { limitPerTransaction, limitDaily }: Pick<Card, 'limitPerTransaction' | 'limitDaily'>,
  now: Date,
): Promise<void> {
  await tx.query(
    `update card set limit_per_transaction = $3, limit_daily = $4, updated_at = $5
     where user_id = $1 and card_id = $2`,
    [userId, cardId, limitPerTransaction, limitDaily, now],
  )
}

export async function setReplacement(tx: Tx, { userId, cardId }: CardKey, replacementId: string): Promise<void> {
  await tx.query('update card set replacement_id = $3 where user_id = $1 and card_id = $2', [
    userId,
    cardId,
    replacementId,
  ])
}

export async function renameCards(tx: Tx, userId: string, name: string): Promise<void> {
  await tx.query('update card set name = $2 where user_id = $1', [userId, name])
}

/** Returns whether the user has a card whose creation the card processor has neither confirmed nor rejected. */
export async function hasUnconfirmedCard(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx.query(
    'select card_id from card where user_id = $1 and card_token is null and due_at is not null limit 1',
    [userId],
  )
  return rows.length > 0
}

/** Returns whether the issuer has a card of the user, or may have one because of a request without a response. */
export async function mayHaveCardAtIssuer(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx.query(
    'select card_id from card where user_id = $1 and (card_token is not null or due_at is not null) limit 1',
    [userId],
  )
  return rows.length > 0
}

export async function deleteCardholder(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from cardholder where user_id = $1', [userId])
}

export async function countCards(tx: Tx, userId: string, statuses: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ cards: bigint }>(
    'select count(*) as cards from card where user_id = $1 and status = any($2)',
    [userId, statuses],
  )
  return Number(row?.cards ?? 0n)
}

/**
 * Adds a card to the directory, under `card:<id>` or `card_token:<token>`. Returns false if the name belongs to
 * another card.
 */
export async function insertCardName(tx: Tx, name: DirectoryName, { userId, cardId }: CardKey): Promise<boolean> {
  if (await takeName(tx, name, userId, { refId: cardId })) return true
  const found = await findName(tx, name)
  return found?.userId === userId && found.refId === cardId
}

/** Returns the user of a card, or null if the card does not exist. */
export function findUserOfCard(db: Queryable, cardId: string): Promise<string | null> {
  return findUserByName(db, `card:${cardId}`)
}

export async function insertCard(
  tx: Tx,
  card: CardKey & { name: string; currency: string; dueAt: Date; now: Date },
): Promise<void> {
  await tx.query(
    `insert into card (user_id, card_id, name, type, status, currency, due_at, created_at, updated_at)
     values ($1, $2, $3, 'virtual', 'provisioning', $4, $5, $6, $6)`,
    [card.userId, card.cardId, card.name, card.currency, card.dueAt, card.now],
  )
}

/**
 * Stores a created card as active. If its status changed meanwhile, it keeps that status, which is reported next.
 * Returns false if an earlier try stored it.
 */
export async function updateIssued(
  tx: Tx,
  { userId, cardId }: CardKey,
  issued: IssuedCard,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `update card set card_token = $3, last4 = $4, expiry_month = $5, expiry_year = $6, updated_at = $7,
       status = case when status = 'provisioning' then 'active' else status end,
       due_at = case when status = 'provisioning' then null else $7::timestamptz end, attempts = 0
     where user_id = $1 and card_id = $2 and card_token is null returning card_id`,
    [userId, cardId, issued.cardToken, issued.last4, issued.expiryMonth, issued.expiryYear, now],
  )
  return rows.length > 0
}

/** Changes the state. `dueAt` schedules a report to the issuer; null: the issuer reported the change itself. */
export async function updateState(
  tx: Tx,
  { userId, cardId }: CardKey,
  { status, blockedBy }: CardState,
  { dueAt, now }: { dueAt: Date | null; now: Date },
): Promise<void> {
  await tx.query(
    `update card set status = $3, blocked_by = $4, due_at = coalesce($5, due_at), updated_at = $6
     where user_id = $1 and card_id = $2`,
    [userId, cardId, status, blockedBy, dueAt, now],
  )
}

/** Ends the due work, unless the status has changed since it was reported. */
export async function clearDue(db: Queryable, { userId, cardId }: CardKey, reportedStatus: string): Promise<void> {
  await db.query('update card set due_at = null, attempts = 0 where user_id = $1 and card_id = $2 and status = $3', [
    userId,
    cardId,
    reportedStatus,
  ])
}

/** Schedules another report, unless the status is the one that was reported. */
export async function setDueUnless(
  db: Queryable,
  { userId, cardId }: CardKey,
  reportedStatus: string,
  dueAt: Date,
): Promise<void> {
  await db.query('update card set due_at = $4 where user_id = $1 and card_id = $2 and status <> $3', [
    userId,
    cardId,
    reportedStatus,
    dueAt,
  ])
}

export async function setDue(db: Queryable, { userId, cardId }: CardKey, dueAt: Date): Promise<void> {
  await db.query('update card set due_at = $3 where user_id = $1 and card_id = $2 and card_token is null', [
    userId,
    cardId,
    dueAt,
  ])
}

export async function findCardholder(db: Queryable, userId: string): Promise<Phone | null> {
  const [row] = await db.query<Phone>(
    'select phone, country_code as "countryCode" from cardholder where user_id = $1',
    [userId],
  )
  return row ?? null
}

export async function upsertCardholder(
  tx: Tx,
  userId: string,
  { phone, countryCode }: Phone,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into cardholder (user_id, phone, country_code, created_at) values ($1, $2, $3, $4)
     on conflict (user_id) do update set phone = excluded.phone, country_code = excluded.country_code`,
    [userId, phone, countryCode, now],
  )
}

/** Returns the cardholder's phone. Returns null if the issuer has created no card, or if the session has ended. */
export async function findReadablePhone(db: Queryable, caller: UserCaller): Promise<Phone | null> {
  const [row] = await db.query<Phone>(
    `select phone, country_code as "countryCode" from cardholder where user_id = $1 and ${mayReadAccount}
       and exists (select 1 from card where user_id = $1 and card_token is not null)`,
    sessionOf(caller),
  )
  return row ?? null
}
