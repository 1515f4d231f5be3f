import { type Card, listCardsOf } from '../cards/cards/cards.ts'
import { maskCardName } from '../cards/cards/rules.ts'
import type { Ctx } from '../context.ts'
import { listOperatorDecisions, type NumberedDecision } from '../events/operator-decisions.ts'
import { listOwnersOf, type Owner } from '../identity/users/users.ts'
import { Refusal } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import { type ListedRows, type ListRequest, readList } from '../operators/pages.ts'
import { canonicalId } from '../operators/rules.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { OperatorCaller } from '../platform/http/access.ts'
import { reportSecurity } from '../platform/observability/security-events.ts'
import { maskedEmail, maskPerson, type PersonalData } from './rules.ts'
import {
  findEventsOfUser,
  findIsUser,
  findItemsBefore,
  findPersonalDataReads,
  findPersonalDataReadsAbout,
  findUserDetails,
  insertPersonalDataRead,
  type PersonalDataRead,
  type StoredItem,
  scanDueUserPage,
  type UserDetailsRow,
  type UserEvent,
  type UserSummaryRow,
} from './users-sql.ts'

/**
 * Users as operators see them. Owns `personal_data_read`.
 *
 * Invariants:
 * - Personal data is masked, except in the response to a request that gave a reason.
 * - That request is recorded in the transaction that reads the data, before the response.
 * - Every query on one user names the user. Only the list of users reads several, by the primary key.
 */
type ReadingCtx = Pick<Ctx, 'db'>

export type { PersonalDataRead, StoredItem, UserEvent, UserSummaryRow }

/** Returns a page of all users, newest first, with masked email addresses. */
export function listAllUsers({ db }: ReadingCtx, request: ListRequest): Promise<ListedRows<UserSummaryRow>> {
  return readList(
    { parts: ['id'], from: 'newest' },
    request,
    async ([below = ''], limit) =>
      (await scanDueUserPage(db, below, limit)).map((user) => ({ ...user, email: maskedEmail(user.email) })),
    ({ userId }) => [userId],
  )
}

export type UserDetails = { readonly user: UserDetailsRow; readonly owners: readonly Owner[] }

/** Returns a user with masked personal data. */
export async function readUserDetails({ db }: ReadingCtx, userId: string): Promise<UserDetails> {
  return db.snapshot(async (snapshot) => {
    const user = await requireDetails(snapshot, userId)
    return { user: { ...user, ...maskPerson(user) }, owners: await listOwnersOf(snapshot, userId) }
  })
}

export type RevealedUser = { readonly user: PersonalData; readonly cards: readonly Card[] }

/** Returns the personal data of a user, and records who read it, and why. */
export async function revealUser(
  ctx: Pick<Ctx, 'db' | 'clock' | 'log' | 'metrics' | 'caches'>,
  { address, role }: Pick<OperatorCaller, 'address' | 'role'>,
  userId: string,
  reason: string,
): Promise<RevealedUser> {
  const readAt = ctx.clock.now()
  const read = { readId: newId(readAt), readBy: address, role, aboutUser: userId, reason, readAt }
  const revealed = await ctx.db.transaction(async (tx) => {
    const found = { user: await requireDetails(tx, userId), cards: await listCardsOf(tx, userId) }
    await insertPersonalDataRead(tx, read)
    return found
  })
  reportSecurity(ctx, 'personal_data_revealed', role, { operator: address, userId, readId: read.readId })
  return revealed
}

async function requireDetails(db: Queryable, userId: string): Promise<UserDetailsRow> {
  const user = await findUserDetails(db, userId)
  if (user === null) throw new Refusal('USER_NOT_FOUND')
  return user
}

export async function requireUserExists(db: Queryable, userId: string): Promise<void> {
  if (!(await findIsUser(db, userId))) throw new Refusal('USER_NOT_FOUND')
}

/** Returns the reads of personal data, newest first: all of them, or those of one user. */
export function listPersonalDataReads(
  { db }: ReadingCtx,
  { userId, ...request }: ListRequest & { readonly userId?: string },
): Promise<ListedRows<PersonalDataRead>> {
  return readList(
    { parts: ['id'], from: 'newest' },
    request,
    ([below = ''], limit) =>
      userId === undefined
        ? findPersonalDataReads(db, below, limit)
        : findPersonalDataReadsAbout(db, userId, below, limit),
    ({ readId }) => [readId],
  )
}

/**
 * Returns every card of a user in one page, newest first, with masked names. This includes cards that are no longer
 * live, which CARD_LIMIT does not count.
 */
export async function listCardsOfUser({ db }: ReadingCtx, userId: string): Promise<readonly Card[]> {
  await requireUserExists(db, userId)
  return (await listCardsOf(db, userId)).map(maskCardName)
}

export async function listStatementOf(
  { db }: ReadingCtx,
  userId: string,
  request: ListRequest,
): Promise<ListedRows<StoredItem>> {
  await requireUserExists(db, userId)
  return readList(
    { parts: ['time', 'id'], from: 'newest' },
    request,
    (beyond, limit) => findItemsBefore(db, userId, beyond, limit),
    ({ createdAt, itemId }) => [createdAt, itemId],
  )
}

/** Returns the published events about a user, newest first. A user without a partner has none. */
export async function listEventsOfUser(
  { db }: ReadingCtx,
  userId: string,
  request: ListRequest,
): Promise<ListedRows<UserEvent>> {
  const { partnerId } = await requireDetails(db, userId)
  return readList(
    { parts: ['number'], from: 'newest' },
    request,
    async ([below], limit) => (partnerId === null ? [] : findEventsOfUser(db, { partnerId, userId }, below, limit)),
    ({ position }) => [position],
  )
}

/** Returns the decisions whose subject is the user, newest first. */
export async function listDecisionsAbout(
  { db }: ReadingCtx,
  userId: string,
  request: ListRequest,
): Promise<ListedRows<NumberedDecision>> {
  await requireUserExists(db, userId)
  return readList(
    { parts: ['number'], from: 'newest' },
    request,
    ([below], limit) =>
      listOperatorDecisions({ db }, { subject: canonicalId(userId), before: BigInt(below ?? 0) }, limit),
    ({ seq }) => [seq],
  )
}
