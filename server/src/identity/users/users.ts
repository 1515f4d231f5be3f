import type { Ctx } from '../../context.ts'
import { emit } from '../../events/events.ts'
import type { LockedAccount } from '../../ledger/ledger.ts'
import { Refusal } from '../../lib/errors.ts'
import { firstIdAt, newId } from '../../lib/id.ts'
import type { KycStatus } from '../../lib/kyc-status.ts'
import type { AccountStatus } from '../../lib/user-status.ts'
import { attributeUser } from '../../partners/partners.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { type DirectoryName, deleteName, findUserByName, takeName } from '../../platform/db/directory.ts'
import type { OwnerKey, SessionKey, UserCaller } from '../../platform/http/access.ts'
import type { VerifiedPerson } from '../../providers/kyc/kyc.ts'
import { accountEvents, canonicalEmail, currencyOf, kycEvents, mayAccountBecome, mayUserBecome } from './rules.ts'
import {
  addEndedSession,
  bindOwner,
  deleteOwner,
  findAccountOf,
  findOwnedUser,
  findOwners,
  findReadableOwners,
  findUserRow,
  insertAccount,
  insertOwner,
  insertUser,
  isOwner,
  isSessionOpen,
  lockAccountOf,
  lockOwners,
  type Owner,
  scanDueNewestUsers,
  type UserRow,
  updateAccess,
  updateAccountStatus,
  updateClosed,
  updateErased,
  updateKycStatus,
  updatePerson,
} from './sql.ts'

export { hasOpenSession, isOwnerOfOpenUser, mayReadAccount, sessionOf } from './sql.ts'
export type { Owner }

/**
 * Users, their owners, and their accounts. Owns `app_user`, `owner`, `account`, and shares `directory`, which maps
 * globally unique names to users.
 * The account's row is the user's one lock. Everything that posts, counts or changes a state takes it first.
 *
 * Invariants:
 * - A wallet and an email address each belong to at most one user.
 * - A user who is not erased has at least one owner, and at most one account.
 * - The currency and the address of an account never change. A closed account stays closed.
 * - An owner's access tokens act for the user only while they name the owner's current access id. An owner who was
 *   removed and added again has another one.
 */
const maxOwners = 10

/** Every check of an owner reads the ended sessions, so their number is limited. */
const maxEndedSessions = 50

export type Account = LockedAccount

/** `account` is null until the user has one. */
export type User = UserRow & { readonly account: Account | null }

/** Throws ACCESS_REVOKED unless the session of an owner is open. A read that finds nothing calls it to learn why. */
export async function requireOwner(db: Queryable, caller: SessionKey): Promise<void> {
  if (!(await isSessionOpen(db, caller))) throw new Refusal('ACCESS_REVOKED')
}

/** Returns the account. Throws ACCESS_REVOKED or ACCOUNT_NOT_FOUND. */
export async function requireAccount(db: Queryable, caller: UserCaller): Promise<Account> {
  await requireOwner(db, caller)
  return findAccount(db, caller.userId)
}

export async function findAccount(db: Queryable, userId: string): Promise<Account> {
  const account = await findAccountOf(db, userId)
  if (account === null) throw new Refusal('ACCOUNT_NOT_FOUND')
  return account
}

/**
 * Takes the user's lock, which is the account's row. For a caller, also checks that the session is open.
 * Providers and jobs do not act for a wallet, so they pass a user id.
 */
export async function lockAccount(tx: Tx, of: UserCaller | string): Promise<LockedAccount> {
  const account = await lockAccountOf(tx, typeof of === 'string' ? of : of.userId)
  if (typeof of !== 'string') await requireOwner(tx, of)
  if (account === null) throw new Refusal('ACCOUNT_NOT_FOUND')
  return account
}

export async function loadUser(db: Queryable, caller: UserCaller): Promise<User> {
  const user = await findOwnedUser(db, caller)
  if (user === null) throw new Refusal('ACCESS_REVOKED')
  return { ...user, account: await findAccountOf(db, caller.userId) }
}

/** Returns the user without checking a wallet: for providers, jobs and operators. */
export async function findUser(db: Queryable, userId: string): Promise<User> {
  const user = await findUserRow(db, userId)
  if (user === null) throw new Refusal('USER_NOT_FOUND')
  return { ...user, account: await findAccountOf(db, userId) }
}

/** Takes the user's lock and returns the user. Locks the owners' rows instead while the user has no account. */
export async function lockUser(tx: Tx, of: UserCaller | string): Promise<User> {
  const userId = typeof of === 'string' ? of : of.userId
  if ((await lockAccountOf(tx, userId)) === null) await lockOwners(tx, userId)
  return typeof of === 'string' ? findUser(tx, of) : loadUser(tx, of)
}

export function findOwnerOf(db: Queryable, address: string): Promise<string | null> {
  return findUserByName(db, `wallet:${address}`)
}

/** Returns whether a user has the email address. */
export async function isEmailTaken(db: Queryable, email: string): Promise<boolean> {
  return (await findUserByName(db, emailName(email))) !== null
}

/** Returns the user of a wallet, or null. A contract has a user on its own chain only. */
export async function findUserOfSigner(db: Queryable, { address, contractChainId }: NewOwner): Promise<string | null> {
  const userId = await findOwnerOf(db, address)
  return userId !== null && (await isOwner(db, userId, address, contractChainId)) ? userId : null
}

/**
 * Returns whether the owner is the contract at this address on this chain. A contract owner is permanently bound to the
 * chain that it registered from, or to the first chain that it signs on. On another chain, the same address may belong
 * to someone else. Owners that sign with a key are not bound, because their key is the same on every chain.
 */
export async function isOwnerContract(
  db: Queryable,
  userId: string,
  { address, chainId }: { address: string; chainId: number },
): Promise<boolean> {
  return (await bindOwner(db, userId, address, chainId)) === chainId
}

export type Registrant = {
  readonly address: string
  /** null for a wallet that signs with a key */
  readonly contractChainId: number | null
  readonly email: string | null
  /** the partner that the user belongs to permanently, or null */
  readonly partnerId: string | null
  readonly now: Date
}

/**
 * Creates a user for the wallet. Takes the unique names first, so one of two concurrent registrations fails.
 */
export async function createUser(
  tx: Tx,
  { address, contractChainId, email, partnerId, now }: Registrant,
): Promise<{ readonly userId: string; readonly accessId: string }> {
  const userId = newId(now)
  const accessId = newId(now)
  const access = { refId: accessId, partnerId }
  if (!(await takeName(tx, `wallet:${address}`, userId, access))) throw new Refusal('WALLET_IN_USE')
  const canonical = email === null ? null : canonicalEmail(email)
  if (canonical !== null && !(await takeName(tx, emailName(canonical), userId))) {
    throw new Refusal('EMAIL_IN_USE')
  }
  await insertUser(tx, { userId, email: canonical, partnerId, now })
  if (partnerId !== null) await attributeUser(tx, partnerId, userId, now)
  await insertOwner(tx, userId, { address, contractChainId, accessId }, now)
  return { userId, accessId }
}

/** Returns the user's owners, oldest first. */
export async function listOwners(db: Queryable, caller: UserCaller): Promise<Owner[]> {
  const owners = await findReadableOwners(db, caller)
  if (owners.length === 0) throw new Refusal('ACCESS_REVOKED')
  return owners
}

/** Returns the owners of any user, for operators and the sandbox. */
export function listOwnersOf(db: Queryable, userId: string): Promise<Owner[]> {
  return findOwners(db, userId)
}

/** Returns the ids of users, newest first, below the given id. It reads all users, so only the sandbox calls it. */
export function findUserIds(
  db: Queryable,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<string[]> {
  return scanDueNewestUsers(db, before, limit)
}

/** `contractChainId` is null for a wallet that signs with a key. */
export type NewOwner = { readonly address: string; readonly contractChainId: number | null }

/** Adds an owner to the user. The caller must have verified that the wallet and an owner both agree. */
export async function addOwner(tx: Tx, caller: UserCaller, owner: NewOwner, now: Date): Promise<{ isNew: boolean }> {
  const { address } = owner
  const { partnerId } = await lockUser(tx, caller)
  const owners = await lockOwners(tx, caller.userId)
  if (owners.some((each) => each.address === address)) return { isNew: false }
  if (owners.length >= maxOwners) throw new Refusal('OWNER_LIMIT_REACHED')
  const accessId = newId(now)
  const access = { refId: accessId, partnerId }
  if (!(await takeName(tx, `wallet:${address}`, caller.userId, access))) throw new Refusal('WALLET_IN_USE')
  await insertOwner(tx, caller.userId, { ...owner, accessId }, now)
  return { isNew: true }
}

/**
 * Removes and returns an owner, who loses access with the next request. The wallet may then register or be added again,
 * which does not restore its access tokens.
 */
export async function removeOwner(tx: Tx, caller: UserCaller, address: string): Promise<Owner> {
  await lockUser(tx, caller)
  const owners = await lockOwners(tx, caller.userId)
  const removed = owners.find((owner) => owner.address === address)
  if (removed === undefined) throw new Refusal('OWNER_NOT_FOUND')
  if (owners.length === 1) throw new Refusal('LAST_WALLET')
  await deleteOwner(tx, caller.userId, address)
  await deleteName(tx, `wallet:${address}`)
  return removed
}

export type RenewedOwner = Owner & { readonly accessId: string }

/** Replaces the access id of one owner, or of all, which ends their sessions. Returns these owners. */
export async function renewAccess(tx: Tx, userId: string, now: Date, address?: string): Promise<RenewedOwner[]> {
  await lockUser(tx, userId)
  const renewed: RenewedOwner[] = []
  for (const owner of await lockOwners(tx, userId)) {
    if (address !== undefined && owner.address !== address) continue
    const accessId = newId(now)
    await updateAccess(tx, userId, owner.address, accessId)
    renewed.push({ ...owner, accessId })
  }
  return renewed
}

/**
 * Ends one session of an owner. Returns false after too many of them: then the caller renews the owner's access, so
 * that the list of ended sessions stays short. Sessions that began before `oldest` have expired and are forgotten.
 */
export async function endOwnerSession(
  tx: Tx,
  { userId, signerAddress: address, sessionId }: OwnerKey & { readonly sessionId: string },
  oldest: Date,
): Promise<boolean> {
  return (await addEndedSession(tx, userId, { address, sessionId, oldest: firstIdAt(oldest) })) <= maxEndedSessions
}

/** Creates the account of a user who has none. Call it under the user's lock. */
export async function createAccount(ctx: Ctx, tx: Tx, { userId, country }: User): Promise<Account> {
  const now = ctx.clock.now()
  const address = ctx.chain.depositAddress(userId)
  if (!(await takeName(tx, `account:${address.toLowerCase()}`, userId))) throw new Error(`${address} has an account`)
  const currency = currencyOf(
    country,
    ctx.config.tokens.map((token) => token.currency),
  )
  const account: Account = { userId, accountId: newId(now), address, currency, status: 'active' }
  await insertAccount(tx, account, now)
  await emit(tx, userId, { type: 'account.created', data: eventData(account) }, now)
  return account
}

/** Records the user's KYC status and, if it is known, the verified person. */
export async function recordVerification(
  tx: Tx,
  userId: string,
  { kycStatus, person }: { kycStatus: KycStatus; person: VerifiedPerson | null },
  now: Date,
): Promise<void> {
  await lockAccountOf(tx, userId)
  const isChanged = await updateKycStatus(tx, userId, kycStatus, now)
  if (isChanged) await emit(tx, userId, { type: kycEvents[kycStatus], data: { status: kycStatus } }, now)
  if (person !== null) await updatePerson(tx, userId, person, now)
}

/** Changes the account's state and reports it to the partner. Call it under the user's lock. */
export async function setAccountStatus(
  tx: Tx,
  account: LockedAccount,
  status: AccountStatus,
  now: Date,
): Promise<void> {
  if (!mayAccountBecome(account.status, status)) throw new Refusal('INVALID_ACCOUNT_STATUS')
  if (account.status === status) return
  await updateAccountStatus(tx, account.userId, status, now)
  await emit(tx, account.userId, { type: accountEvents[status], data: eventData({ ...account, status }) }, now)
}

function eventData({ address, currency, status }: Account) {
  return { address, currency, status }
}

/**
 * Closes the user: every wallet loses access with the next request. Wallets and email address stay taken until erasure.
 */
export async function closeUser(tx: Tx, { userId, status, account }: User, now: Date, eraseAt: Date): Promise<void> {
  if (!mayUserBecome(status, 'closed')) throw new Error(`user ${userId} is ${status} and cannot be closed`)
  if (account !== null) await setAccountStatus(tx, account, 'closed', now)
  await updateClosed(tx, userId, now, eraseAt)
}

/**
 * Erases a closed user's personal data, and frees the wallets and the email address. Returns the former owners. The
 * account and its books stay.
 */
export async function erasePerson(tx: Tx, { userId, email, status }: User, now: Date): Promise<Owner[]> {
  if (status !== 'closed') throw new Refusal('USER_NOT_CLOSED')
  const owners = await lockOwners(tx, userId)
  for (const { address } of owners) {
    await deleteName(tx, `wallet:${address}`)
    await deleteOwner(tx, userId, address)
  }
  if (email !== null) await deleteName(tx, emailName(email))
  await updateErased(tx, userId, now)
  return owners
}

/** Returns the directory's name of an email address. */
export function emailName(email: string): DirectoryName {
  return `email:${canonicalEmail(email)}`
}
