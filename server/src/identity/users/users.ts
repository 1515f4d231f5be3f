import { createHash } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { emit } from '../../events/events.ts'
import type { LockedAccount } from '../../ledger/ledger.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { KycStatus } from '../../lib/kyc-status.ts'
import type { AccountStatus } from '../../lib/user-status.ts'
import { attributeUser } from '../../partners/partners.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { OwnerKey, UserCaller } from '../../platform/http/access.ts'
import type { VerifiedPerson } from '../../providers/kyc/kyc.ts'
import { accountEvents, canonicalEmail, currencyOf, kycEvents, mayBecome } from './rules.ts'
import {
  bindOwner,
  claimKey,
  deleteKey,
  deleteOwner,
  findAccountOf,
  findOwnedUser,
  findReadableOwners,
  findUserByKey,
  findUserRow,
  insertAccount,
  insertOwner,
  insertUser,
  isOwnerOfOpenUser,
  lockAccountOf,
  lockOwners,
  type Owner,
  type UserRow,
  updateAccountStatus,
  updateClosed,
  updateErased,
  updateKycStatus,
  updatePerson,
} from './sql.ts'

export { isOwnerOfOpenUser, mayReadAccount, ownsOpenUser } from './sql.ts'

/**
 * Users, the wallets that own them, and their account. Owns `app_user`, `owner`, `account`; `directory`, which says whose
 * a thing is that has a name over all users, has rows of other capabilities as well.
 * The account's row is the one lock of a user: taken first by everything that posts, counts or changes a status.
 * Invariants: a wallet and a mail address belong to one user at most; a user has one owner at least, and one account at
 * most, whose currency and address never change; a closed account stays closed.
 */
const mostOwners = 10

export type Account = LockedAccount

/** `account` is null until the user has one. */
export type User = UserRow & { readonly account: Account | null }

/** Says why a read found nothing: the wallet may not read it any more. */
export async function requireOwner(db: Queryable, caller: OwnerKey): Promise<void> {
  if (!(await isOwnerOfOpenUser(db, caller.userId, caller.signerAddress))) throw new Refusal('ACCESS_REVOKED')
}

/** Says why a read found nothing: no access any more, or no account. Returns the account when neither is the reason. */
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
 * Takes the user's one lock. Given a caller, also checks that the wallet still owns the user; given a user id, the
 * caller is a provider or a job, which acts for nobody.
 */
export async function lockAccount(tx: Tx, of: UserCaller | string): Promise<LockedAccount> {
  const account = await lockAccountOf(tx, typeof of === 'string' ? of : of.userId)
  if (typeof of !== 'string') await requireOwner(tx, of)
  if (account === null) throw new Refusal('ACCOUNT_NOT_FOUND')
  return account
}

export async function loadUser(db: Queryable, caller: UserCaller): Promise<User> {
  const user = await findOwnedUser(db, caller.userId, caller.signerAddress)
  if (user === null) throw new Refusal('ACCESS_REVOKED')
  return { ...user, account: await findAccountOf(db, caller.userId) }
}

/** For a provider, a job or an operator, which act for nobody. */
export async function findUser(db: Queryable, userId: string): Promise<User> {
  const user = await findUserRow(db, userId)
  if (user === null) throw new Refusal('USER_NOT_FOUND')
  return { ...user, account: await findAccountOf(db, userId) }
}

/** Under the user's lock: their owners' rows stand in for the account while there is none. */
export async function lockUser(tx: Tx, of: UserCaller | string): Promise<User> {
  const userId = typeof of === 'string' ? of : of.userId
  if ((await lockAccountOf(tx, userId)) === null) await lockOwners(tx, userId)
  return typeof of === 'string' ? findUser(tx, of) : loadUser(tx, of)
}

export function findOwnerOf(db: Queryable, address: string): Promise<string | null> {
  return findUserByKey(db, `wallet:${address}`)
}

/**
 * Whether the owner is the contract at this address on this chain. An owner is the contract on one chain, for good: at
 * registration the one that signed in, else the first that signs for it, since on other chains the same address may be
 * anybody's. The owner's key, where there is one, is the same on every chain and changes nothing of this.
 */
export async function isOwnerContract(
  db: Queryable,
  userId: string,
  { address, chainId }: { address: string; chainId: number },
): Promise<boolean> {
  return (await bindOwner(db, userId, address, chainId)) === chainId
}

export type NewUser = {
  readonly address: string
  /** null: a wallet that signs with a key */
  readonly contractChainId: number | null
  readonly email: string | null
  /** whose user it is, for ever; null: nobody's */
  readonly partnerId: string | null
  readonly now: Date
}

/** The wallet's new user. What must be unique over all users is claimed first, and its claim decides a race. */
export async function createUser(
  tx: Tx,
  { address, contractChainId, email, partnerId, now }: NewUser,
): Promise<string> {
  const userId = newId(now)
  if (!(await claimKey(tx, `wallet:${address}`, userId))) throw new Refusal('WALLET_IN_USE')
  const mail = email === null ? null : canonicalEmail(email)
  if (mail !== null && !(await claimKey(tx, emailKey(mail), userId))) throw new Refusal('EMAIL_IN_USE')
  await insertUser(tx, { userId, email: mail, partnerId, now })
  if (partnerId !== null) await attributeUser(tx, partnerId, userId, now)
  await insertOwner(tx, userId, { address, contractChainId }, now)
  return userId
}

/** Oldest first. */
export async function listOwners(db: Queryable, caller: UserCaller): Promise<Owner[]> {
  const owners = await findReadableOwners(db, caller.userId, caller.signerAddress)
  if (owners.length === 0) throw new Refusal('ACCESS_REVOKED')
  return owners
}

/** `contractChainId` is null for a wallet that signs with a key. */
export type NewOwner = { readonly address: string; readonly contractChainId: number | null }

/** One more wallet that may sign in for the user. Whoever calls has seen it prove that it wants to. */
export async function addOwner(tx: Tx, caller: UserCaller, owner: NewOwner, now: Date): Promise<{ isNew: boolean }> {
  const { address } = owner
  await lockUser(tx, caller)
  const owners = await lockOwners(tx, caller.userId)
  if (owners.some((each) => each.address === address)) return { isNew: false }
  if (owners.length >= mostOwners) throw new Refusal('OWNER_LIMIT_REACHED')
  if (!(await claimKey(tx, `wallet:${address}`, caller.userId))) throw new Refusal('WALLET_IN_USE')
  await insertOwner(tx, caller.userId, owner, now)
  return { isNew: true }
}

/** From the next request on the wallet may nothing more; it is free to register, or to be added again. */
export async function removeOwner(tx: Tx, caller: UserCaller, address: string): Promise<void> {
  await lockUser(tx, caller)
  const owners = await lockOwners(tx, caller.userId)
  if (!owners.some((owner) => owner.address === address)) throw new Refusal('OWNER_NOT_FOUND')
  if (owners.length === 1) throw new Refusal('LAST_WALLET')
  await deleteOwner(tx, caller.userId, address)
  await deleteKey(tx, `wallet:${address}`)
}

/** The user's account: a new one, or the one that a request at the same time has just made. */
export async function createAccount(
  ctx: Ctx,
  tx: Tx,
  user: User,
): Promise<{ readonly account: Account; readonly isNew: boolean }> {
  const now = ctx.clock.now()
  const { userId, country } = user
  const address = ctx.chain.depositAddress(userId)
  if (!(await claimKey(tx, `account:${address}`, userId)))
    return { account: await findAccount(tx, userId), isNew: false }
  const currency = currencyOf(
    country,
    ctx.config.tokens.map((token) => token.currency),
  )
  const account: Account = { userId, accountId: newId(now), address, currency, status: 'active' }
  await insertAccount(tx, account, now)
  await emit(tx, userId, { type: 'account.created', data: eventData(account) }, now)
  return { account, isNew: true }
}

/** What identity verification thinks of the user now, and who it found them to be; null: nobody yet. */
export async function recordVerification(
  tx: Tx,
  userId: string,
  { kycStatus, person }: { kycStatus: KycStatus; person: VerifiedPerson | null },
  now: Date,
): Promise<void> {
  await lockAccountOf(tx, userId)
  const isNews = await updateKycStatus(tx, userId, kycStatus, now)
  if (isNews) await emit(tx, userId, { type: kycEvents[kycStatus], data: { status: kycStatus } }, now)
  if (person !== null) await updatePerson(tx, userId, person, now)
}

export async function setAccountStatus(
  tx: Tx,
  account: LockedAccount,
  status: AccountStatus,
  now: Date,
): Promise<void> {
  if (!mayBecome(account.status, status)) throw new Refusal('INVALID_ACCOUNT_STATUS')
  if (account.status === status) return
  await updateAccountStatus(tx, account.userId, status, now)
  await emit(tx, account.userId, { type: accountEvents[status], data: eventData({ ...account, status }) }, now)
}

function eventData({ address, currency, status }: Account) {
  return { address, currency, status }
}

/** From the next request on no wallet may anything more. Wallets and mail address stay taken until they are erased. */
export async function closeUser(tx: Tx, { userId, account }: User, now: Date, eraseAt: Date): Promise<void> {
  if (account !== null) await setAccountStatus(tx, account, 'closed', now)
  await updateClosed(tx, userId, now, eraseAt)
}

/** Forgets who a closed user was. Wallets and mail address are free again; the account and its books stay. */
export async function erasePerson(tx: Tx, { userId, email, status }: User, now: Date): Promise<void> {
  if (status !== 'closed') throw new Refusal('USER_NOT_CLOSED')
  for (const { address } of await lockOwners(tx, userId)) {
    await deleteKey(tx, `wallet:${address}`)
    await deleteOwner(tx, userId, address)
  }
  if (email !== null) await deleteKey(tx, emailKey(email))
  await updateErased(tx, userId, now)
}

function emailKey(canonical: string): string {
  return `email:${createHash('sha256').update(canonical).digest('hex')}`
}
