import type { KycStatus } from '../lib/kyc-status.ts'
import type { OperatorRole } from '../lib/operator-permission.ts'
import type { AccountStatus, UserStatus } from '../lib/user-status.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { PersonalData } from './rules.ts'

export type UserSummaryRow = {
  readonly userId: string
  readonly status: UserStatus
  readonly accountStatus: AccountStatus | null
  readonly kycStatus: KycStatus
  readonly partnerId: string | null
  readonly country: string | null
  readonly email: string | null
  readonly createdAt: Date
}

const summaryColumns = `u.user_id as "userId", u.status, a.status as "accountStatus", u.kyc_status as "kycStatus",
  u.partner_id as "partnerId", u.country, u.email, u.created_at as "createdAt"`

/** Returns the users below an id, newest first. It reads one range of the primary key. */
export function scanDueUserPage(db: Queryable, below: string, limit: number): Promise<UserSummaryRow[]> {
  return db.query<UserSummaryRow>(
    `-- scanDueUserPage
     select ${summaryColumns} from (
       select * from app_user where user_id < $1 order by user_id desc limit $2
     ) u left join account a on a.user_id = u.user_id order by u.user_id desc`,
    [below, limit],
  )
}

export type UserDetailsRow = UserSummaryRow &
  PersonalData & {
    readonly accountId: string | null
    readonly address: string | null
    readonly currency: string | null
    readonly applicantId: string | null
    readonly ibanStatus: 'pending' | 'assigned' | 'refused' | null
    readonly closedAt: Date | null
    readonly erasedAt: Date | null
  }

export async function findUserDetails(db: Queryable, userId: string): Promise<UserDetailsRow | null> {
  const [row] = await db.query<UserDetailsRow>(
    `select ${summaryColumns}, u.nationality, u.first_name as "firstName", u.last_name as "lastName",
       u.birth_date::text as "birthDate", u.street, u.city, u.postal_code as "postalCode", h.phone, i.iban,
       a.account_id as "accountId", a.address, a.currency, k.applicant_id as "applicantId", i.status as "ibanStatus",
       u.closed_at as "closedAt", u.erased_at as "erasedAt"
     from app_user u
       left join account a on a.user_id = $1
       left join cardholder h on h.user_id = $1
       left join kyc_applicant k on k.user_id = $1
       left join iban i on i.user_id = $1
     where u.user_id = $1`,
    [userId],
  )
  return row ?? null
}

export async function findIsUser(db: Queryable, userId: string): Promise<boolean> {
  return (await db.query('select user_id from app_user where user_id = $1', [userId])).length > 0
}

export type PersonalDataRead = {
  readonly readId: string
  readonly readBy: string
  readonly role: OperatorRole
  readonly aboutUser: string
  readonly reason: string
  readonly readAt: Date
}

export async function insertPersonalDataRead(tx: Tx, read: PersonalDataRead): Promise<void> {
  await tx.query(
    `insert into personal_data_read (read_id, read_by, role, about_user, reason, read_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [read.readId, read.readBy, read.role, read.aboutUser, read.reason, read.readAt],
  )
}

const readColumns = `read_id as "readId", read_by as "readBy", role, about_user as "aboutUser", reason, read_at as "readAt"`

/** Returns the reads below an id, newest first. */
export function findPersonalDataReads(db: Queryable, below: string, limit: number): Promise<PersonalDataRead[]> {
  return db.query<PersonalDataRead>(
    `select ${readColumns} from personal_data_read where read_id < $1 order by read_id desc limit $2`,
    [below, limit],
  )
}

export function findPersonalDataReadsAbout(
  db: Queryable,
  userId: string,
  below: string,
  limit: number,
): Promise<PersonalDataRead[]> {
  return db.query<PersonalDataRead>(
    `select ${readColumns} from personal_data_read where about_user = $1 and read_id < $2
     order by read_id desc limit $3`,
    [userId, below, limit],
  )
}

export type StoredItem = { readonly createdAt: Date; readonly itemId: string; readonly item: string }

export function findItemsBefore(
  db: Queryable,
  userId: string,
  [createdAt, itemId]: readonly string[],
  limit: number,
): Promise<StoredItem[]> {
  return db.query<StoredItem>(
    `select created_at as "createdAt", item_id as "itemId", item from statement_item
     where user_id = $1 and (created_at, item_id) < ($2, $3) order by created_at desc, item_id desc limit $4`,
    [userId, createdAt, itemId, limit],
  )
}

export type UserEvent = {
  readonly eventId: string
  readonly position: bigint
  readonly type: string
  readonly createdAt: Date
}

/** Returns the events about a user in the log of the partner, newest first. */
export function findEventsOfUser(
  db: Queryable,
  { partnerId, userId }: { readonly partnerId: string; readonly userId: string },
  below: string | undefined,
  limit: number,
): Promise<UserEvent[]> {
  return db.query<UserEvent>(
    `select event_id as "eventId", position, type, created_at as "createdAt" from partner_event
     where partner_id = $1 and about_user = $2 and position < $3 order by position desc limit $4`,
    [partnerId, userId, below, limit],
  )
}
