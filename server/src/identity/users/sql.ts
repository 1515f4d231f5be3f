import type { LockedAccount } from '../../ledger/ledger.ts'
import type { KycStatus } from '../../lib/kyc-status.ts'
import type { AccountStatus, UserStatus } from '../../lib/user-status.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { directoryKey } from '../../platform/db/directory.ts'
import type { OwnerKey, SessionKey } from '../../platform/http/access.ts'
import type { VerifiedPerson } from '../../providers/kyc/kyc.ts'

type Nullable<T> = { readonly [K in keyof T]: T[K] | null }

export type UserRow = Nullable<VerifiedPerson> & {
  readonly userId: string
  readonly status: UserStatus
  /** the partner that brought the user; null: none */
  readonly partnerId: string | null
  readonly email: string | null
  readonly kycStatus: KycStatus
  readonly createdAt: Date
  readonly erasedAt: Date | null
}

export type Owner = {
  readonly address: string
  /** null for a wallet that signs with a key */
  readonly contractChainId: number | null
  readonly createdAt: Date
}

const ownerColumns = `o.address, o.contract_chain_id as "contractChainId", o.created_at as "createdAt"`

const accountColumns = `a.user_id as "userId", a.account_id as "accountId", a.address, a.currency, a.status`
const userColumns = `u.user_id as "userId", u.status, u.partner_id as "partnerId", u.email, u.country, u.nationality, u.first_name as "firstName",
  u.last_name as "lastName", u.birth_date::text as "birthDate", u.street, u.city, u.postal_code as "postalCode",
  u.kyc_status as "kycStatus", u.created_at as "createdAt", u.erased_at as "erasedAt"`

export async function findAccountOf(db: Queryable, userId: string): Promise<LockedAccount | null> {
  const [row] = await db.query<LockedAccount>(`select ${accountColumns} from account a where a.user_id = $1`, [userId])
  return row ?? null
}

export async function lockAccountOf(tx: Tx, userId: string): Promise<LockedAccount | null> {
  const [row] = await tx.query<LockedAccount>(
    `select ${accountColumns} from account a where a.user_id = $1 for no key update`,
    [userId],
  )
  return row ?? null
}

/**
 * Returns an SQL condition: the session is open, its wallet is still an owner of the user, and the user is active. The
 * access id belongs to one owner, so it stands for the wallet. If `userId` is a column, `among` must be the parameter
 * with all users of the statement.
 */
export const hasOpenSession = (userId: string, accessId: string, sessionId: string, among?: string) => `exists (
  select 1 from owner o join app_user u on u.user_id = o.user_id
  where o.user_id = ${userId} and o.access_id = ${accessId} and ${sessionId} <> all (o.ended_sessions)
    and u.user_id = ${userId} and u.status = 'active'
    ${among === undefined ? '' : `and o.user_id = any(${among}) and u.user_id = any(${among})`})`

/**
 * The same condition over the parameters of `sessionOf`. Reads include it in their statement, which saves a round trip.
 */
export const mayReadAccount = hasOpenSession('$1', '$2', '$3')

/** Returns the first three parameters of a statement that includes `mayReadAccount`. */
export const sessionOf = ({ userId, accessId, sessionId }: SessionKey) => [userId, accessId, sessionId] as const

export async function isSessionOpen(db: Queryable, session: SessionKey): Promise<boolean> {
  const [row] = await db.query<{ isOpen: boolean }>(`select ${mayReadAccount} as "isOpen"`, sessionOf(session))
  return row?.isOpen ?? false
}

export async function isOwnerOfOpenUser(db: Queryable, { userId, signerAddress }: OwnerKey): Promise<boolean> {
  const rows = await db.query(
    `select o.address from owner o join app_user u on u.user_id = o.user_id
     where o.user_id = $1 and o.address = $2 and u.user_id = $1 and u.status = 'active'`,
    [userId, signerAddress],
  )
  return rows.length > 0
}

/** Returns the user, or null if the session has ended or the user is closed. */
export async function findOwnedUser(db: Queryable, session: SessionKey): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>(
    `select ${userColumns} from app_user u where u.user_id = $1 and ${mayReadAccount}`,
    sessionOf(session),
  )
  return row ?? null
}

export async function findUserRow(db: Queryable, userId: string): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>(`select ${userColumns} from app_user u where u.user_id = $1`, [userId])
  return row ?? null
}

export async function insertUser(
  tx: Tx,
  { userId, email, partnerId, now }: { userId: string; email: string | null; partnerId: string | null; now: Date },
): Promise<void> {
  await tx.query(
    `insert into app_user (user_id, status, email, partner_id, kyc_status, created_at, updated_at)
     values ($1, 'active', $2, $3, 'notStarted', $4, $4)`,
    [userId, email, partnerId, now],
  )
}

export async function insertOwner(
  tx: Tx,
  userId: string,
  { address, contractChainId, accessId }: { address: string; contractChainId: number | null; accessId: string },
  now: Date,
): Promise<void> {
  await tx.query(
    'insert into owner (user_id, address, contract_chain_id, access_id, created_at) values ($1, $2, $3, $4, $5)',
    [userId, address, contractChainId, accessId, now],
  )
}

/** Replaces the owner's access id, which ends all sessions of the owner. */
export async function updateAccess(tx: Tx, userId: string, address: string, accessId: string): Promise<void> {
  await tx.query(`update owner set access_id = $3, ended_sessions = '{}' where user_id = $1 and address = $2`, [
    userId,
    address,
    accessId,
  ])
  await tx.query('update directory set ref_id = $2 where lookup_key = $1', [
    directoryKey(`wallet:${address}`),
    accessId,
  ])
}

/**
 * Ends one session, and forgets ended sessions older than `oldest`. Returns the number of ended sessions, or 0 if there
 * is no such owner.
 */
export async function addEndedSession(
  tx: Tx,
  userId: string,
  { address, sessionId, oldest }: { address: string; sessionId: string; oldest: string },
): Promise<number> {
  const [row] = await tx.query<{ ended: number }>(
    `update owner set ended_sessions =
       array_append(array(select id from unnest(ended_sessions) id where id >= $4 and id <> $3), $3)
     where user_id = $1 and address = $2 returning cardinality(ended_sessions) as ended`,
    [userId, address, sessionId, oldest],
  )
  return row?.ended ?? 0
}

/** Binds the contract to the chain unless it is already bound. Returns its chain, or null if there is no such owner. */
export async function bindOwner(
  db: Queryable,
  userId: string,
  address: string,
  chainId: number,
): Promise<number | null> {
  const [row] = await db.query<{ contractChainId: number }>(
    `update owner set contract_chain_id = coalesce(contract_chain_id, $3) where user_id = $1 and address = $2
     returning contract_chain_id as "contractChainId"`,
    [userId, address, chainId],
  )
  return row?.contractChainId ?? null
}

export async function isOwner(
  db: Queryable,
  userId: string,
  address: string,
  contractChainId: number | null,
): Promise<boolean> {
  const rows = await db.query(
    `select address from owner where user_id = $1 and address = $2 and ($3::integer is null or contract_chain_id = $3)`,
    [userId, address, contractChainId],
  )
  return rows.length > 0
}

/** Locks the owners in a fixed order, which prevents deadlocks. Lock the account first. */
export async function lockOwners(tx: Tx, userId: string): Promise<Owner[]> {
  return tx.query<Owner>(`select ${ownerColumns} from owner o where o.user_id = $1 order by o.address for update`, [
    userId,
  ])
}

/** Returns the owners, oldest first, or none when the session has ended. */
export async function findReadableOwners(db: Queryable, session: SessionKey): Promise<Owner[]> {
  return db.query<Owner>(
    `select ${ownerColumns} from owner o where o.user_id = $1 and ${mayReadAccount} order by o.created_at, o.address`,
    sessionOf(session),
  )
}

export async function findOwners(db: Queryable, userId: string): Promise<Owner[]> {
  return db.query<Owner>(`select ${ownerColumns} from owner o where o.user_id = $1 order by o.created_at, o.address`, [
    userId,
  ])
}

export async function scanDueNewestUsers(db: Queryable, before: string | null, limit: number): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(
    `-- scanDueNewestUsers
     select user_id as "userId" from app_user where ($1::uuid is null or user_id < $1) order by user_id desc limit $2`,
    [before, limit],
  )
  return rows.map(({ userId }) => userId)
}

export async function deleteOwner(tx: Tx, userId: string, address: string): Promise<void> {
  await tx.query('delete from owner where user_id = $1 and address = $2', [userId, address])
}

export async function updatePerson(tx: Tx, userId: string, person: VerifiedPerson, now: Date): Promise<void> {
  await tx.query(
    `update app_user set first_name = $2, last_name = $3, birth_date = $4, nationality = $5, street = $6, city = $7,
       postal_code = $8, country = $9, updated_at = $10 where user_id = $1`,
    [
      userId,
      person.firstName,
      person.lastName,
      person.birthDate,
      person.nationality,
      person.street,
      person.city,
      person.postalCode,
      person.country,
      now,
    ],
  )
}

/** Returns false when the status is unchanged. */
export async function updateKycStatus(tx: Tx, userId: string, kycStatus: KycStatus, now: Date): Promise<boolean> {
  const rows = await tx.query(
    'update app_user set kyc_status = $2, updated_at = $3 where user_id = $1 and kyc_status <> $2 returning user_id',
    [userId, kycStatus, now],
  )
  return rows.length > 0
}

export async function insertAccount(tx: Tx, account: LockedAccount, now: Date): Promise<void> {
  await tx.query(
    `insert into account (user_id, account_id, address, currency, status, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)`,
    [account.userId, account.accountId, account.address, account.currency, account.status, now],
  )
}

export async function updateAccountStatus(tx: Tx, userId: string, status: AccountStatus, now: Date): Promise<void> {
  await tx.query(
    `update account set status = $2, was_provisioning = ($2 = 'blocked' and status = 'provisioning'), updated_at = $3
     where user_id = $1`,
    [userId, status, now],
  )
}

/** Returns the state that a blocked account had before the block. */
export async function findStatusBeforeBlock(tx: Tx, userId: string): Promise<'active' | 'provisioning'> {
  const [row] = await tx.query<{ wasProvisioning: boolean }>(
    'select was_provisioning as "wasProvisioning" from account where user_id = $1',
    [userId],
  )
  return row?.wasProvisioning ? 'provisioning' : 'active'
}

export async function updateClosed(tx: Tx, userId: string, now: Date, eraseAt: Date): Promise<void> {
  await tx.query(
    `update app_user set status = 'closed', closed_at = $2, due_at = $3, updated_at = $2 where user_id = $1`,
    [userId, now, eraseAt],
  )
}

export async function updateErased(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx.query(
    `update app_user set email = null, country = null, nationality = null, first_name = null, last_name = null,
       birth_date = null, street = null, city = null, postal_code = null, erased_at = $2, due_at = null, updated_at = $2
     where user_id = $1`,
    [userId, now],
  )
}
