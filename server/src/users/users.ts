import { createHash } from 'node:crypto'
import { getAddress, keccak256, toHex } from 'viem'
import type { Queryable, Tx } from '../db/db.ts'
import { emit } from '../events/events.ts'
import type { UserCaller } from '../http/access.ts'
import type { LockedAccount } from '../ledger/ledger.ts'
import { newId } from '../lib/id.ts'
import { Refusal } from '../lib/refusal.ts'
import { attributeUser } from '../partners/partners.ts'
import type { VerifiedPerson } from '../providers/kyc/kyc.ts'
import {
  type AccountStatus,
  accountEvents,
  canonicalEmail,
  currencyOf,
  type KycStatus,
  kycEvents,
  mayBecome,
} from './rules.ts'
import {
  bindOwner,
  claimKey,
  findAccountOf,
  findOwnedUser,
  findUserByKey,
  findUserRow,
  insertAccount,
  insertOwner,
  insertUser,
  isOwnerOfOpenUser,
  lockAccountOf,
  ownsOpenUser,
  type UserRow,
  updateAccountStatus,
  updateKycStatus,
  updatePerson,
} from './sql.ts'

/**
 * Users, the wallets that own them, and their account. Owns `app_user`, `owner`, `account`.
 * The account's row is the one lock of a user: taken first by everything that posts, counts or changes a status.
 * Invariants: a wallet and a mail address belong to one user at most; a user has one account at most, whose currency
 * and address never change; a closed account stays closed.
 */
export type Account = LockedAccount

/** `account` is null until the user has one. */
export type User = UserRow & { readonly account: Account | null }

/**
 * A condition for reads of an account's rows ($1 the user, $2 the wallet that signed in): the wallet still owns the user,
 * and the user is not closed. Checked once a statement, so that a read needs no round trip of its own for it.
 */
export const mayReadAccount = ownsOpenUser

/** Says why a read found nothing: the wallet may not read it any more. */
export async function requireOwner(db: Queryable, caller: UserCaller): Promise<void> {
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

/** Under the user's lock, if there is an account to lock. */
export async function lockUser(tx: Tx, of: UserCaller | string): Promise<User> {
  await lockAccountOf(tx, typeof of === 'string' ? of : of.userId)
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
  if (mail !== null && !(await claimKey(tx, `email:${sha256(mail)}`, userId))) throw new Refusal('EMAIL_IN_USE')
  await insertUser(tx, { userId, email: mail, partnerId, now })
  if (partnerId !== null) await attributeUser(tx, partnerId, userId, now)
  await insertOwner(tx, userId, { address, contractChainId }, now)
  return userId
}

/** The user's account: a new one, or the one that a request at the same time has just made. */
export async function createAccount(tx: Tx, user: User, now: Date): Promise<Account> {
  const { userId, country } = user
  const address = accountAddress(userId)
  if (!(await claimKey(tx, `account:${address}`, userId))) return findAccount(tx, userId)
  const account: Account = { userId, accountId: newId(now), address, currency: currencyOf(country), status: 'active' }
  await insertAccount(tx, account, now)
  await emit(tx, userId, { type: 'account.created', data: eventData(account) }, now)
  return account
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

/** Where the account's deposits arrive. Derived from the user, so that two attempts at creating it are the same one. */
function accountAddress(userId: string): string {
  return getAddress(`0x${keccak256(toHex(`purser account ${userId}`)).slice(-40)}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
