import type { RecordSeal } from '../events/sealed-log.ts'
import type { PartnerStatus } from '../lib/partner-status.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { Role } from './rules.ts'

export type Partner = {
  readonly partnerId: string
  readonly name: string
  readonly status: PartnerStatus
  /** Whether its owners and API keys may read the details of its users. */
  readonly readsDetails: boolean
  readonly createdAt: Date
}

const partnerColumns = `partner_id as "partnerId", name, status, reads_details is true as "readsDetails", created_at as "createdAt"`

export async function insertPartner(tx: Tx, { partnerId, name, status, createdAt }: Partner): Promise<void> {
  await tx.query('insert into partner (partner_id, name, status, created_at) values ($1, $2, $3, $4)', [
    partnerId,
    name,
    status,
    createdAt,
  ])
}

/** Returns pending partners first, then the newest. */
export function findPartners(db: Queryable, limit: number): Promise<Partner[]> {
  return db.query<Partner>(
    `select ${partnerColumns} from partner order by status <> 'pending', partner_id desc limit $1`,
    [limit],
  )
}

export async function updatePartnerStatus(tx: Tx, partnerId: string, status: PartnerStatus): Promise<void> {
  await tx.query('update partner set status = $2 where partner_id = $1', [partnerId, status])
}

export async function updatePartnerName(tx: Tx, partnerId: string, name: string): Promise<void> {
  await tx.query('update partner set name = $2 where partner_id = $1', [partnerId, name])
}

export async function updateReadsDetails(tx: Tx, partnerId: string, readsDetails: boolean): Promise<void> {
  await tx.query('update partner set reads_details = $2 where partner_id = $1', [partnerId, readsDetails])
}

export async function isPartnerUser(db: Queryable, partnerId: string, userId: string): Promise<boolean> {
  const rows = await db.query('select 1 from partner_user where partner_id = $1 and user_id = $2', [partnerId, userId])
  return rows.length > 0
}

export async function findPartner(db: Queryable, partnerId: string): Promise<Partner | null> {
  const [row] = await db.query<Partner>(`select ${partnerColumns} from partner where partner_id = $1`, [partnerId])
  return row ?? null
}

/** Locks the partner. A cluster locks all partners, even if this one does not exist yet. */
export async function lockPartner(tx: Tx, partnerId: string): Promise<Partner | null> {
  const [row] = await tx.query<Partner>(
    `select ${partnerColumns} from partner where partner_id = $1 for no key update`,
    [partnerId],
  )
  return row ?? null
}

export type AuditRow = {
  readonly seq: bigint
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: object
  readonly createdAt: Date
}
export type NewAuditRow = Omit<AuditRow, 'seq'>

/** Returns the number of the partner's last audit row, 0 for none. */
export async function findLastAuditSeq(db: Queryable, partnerId: string): Promise<bigint> {
  const [row] = await db.query<{ seq: bigint | null }>(
    'select max(seq) as seq from partner_audit where partner_id = $1',
    [partnerId],
  )
  return row?.seq ?? 0n
}

/** Inserts the rows with the numbers of their seals. */
export async function insertAudit(
  tx: Tx,
  partnerId: string,
  rows: readonly NewAuditRow[],
  seals: readonly RecordSeal[],
): Promise<void> {
  await tx.query(
    `insert into partner_audit (partner_id, seq, actor, action, subject, detail, created_at, hash, mac, secret_id)
     select $1, seq, actor, action, subject, detail::json, created_at, hash, mac, secret_id
     from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::bytea[],
       $9::bytea[], $10::text[])
       as given (seq, actor, action, subject, detail, created_at, hash, mac, secret_id)`,
    [
      partnerId,
      seals.map(({ seq }) => seq),
      rows.map(({ actor }) => actor),
      rows.map(({ action }) => action),
      rows.map(({ subject }) => subject),
      rows.map(({ detail }) => JSON.stringify(detail)),
      rows.map(({ createdAt }) => createdAt),
      seals.map(({ hash }) => hash),
      seals.map(({ mac }) => mac),
      seals.map(({ secretId }) => secretId),
    ],
  )
}

const auditFilters = ['action', 'actor', 'subject'] as const
export type AuditFilter = {
  readonly order: 'oldest' | 'newest'
} & Readonly<Record<(typeof auditFilters)[number], string | null>>

const maxSeq = 2n ** 63n - 1n

/** Returns the entries that follow `after` in the order. A filter reads one range of an index. */
export async function findAudit(
  db: Queryable,
  partnerId: string,
  { after, limit, order, ...filter }: AuditFilter & { after: bigint | null; limit: number },
): Promise<AuditRow[]> {
  const used = auditFilters.filter((column) => filter[column] !== null)
  const conditions = used.map((column, i) => ` and ${column} = $${i + 4}`)
  return db.query<AuditRow>(
    `select seq, actor, action, subject, detail, created_at as "createdAt" from partner_audit
     where partner_id = $1 and seq ${order === 'oldest' ? '>' : '<'} $2${conditions.join('')}
     order by seq ${order === 'oldest' ? '' : 'desc'} limit $3`,
    [partnerId, after ?? (order === 'oldest' ? 0n : maxSeq), limit, ...used.map((column) => filter[column])],
  )
}

export type Member = {
  readonly address: string
  readonly partnerId: string
  readonly role: Role
  /** null for a wallet that signs with a key */
  readonly contractChainId: string | null
  readonly createdAt: Date
}

/** The parts of a partner that decide what its members and keys may do. */
export type PartnerStanding = { readonly status: PartnerStatus; readonly readsDetails: boolean }

/** Returns the membership of a wallet, and the standing of its partner. */
export async function findMembership(db: Queryable, address: string): Promise<(Member & PartnerStanding) | null> {
  const [row] = await db.query<Member & PartnerStanding>(
    `select m.address, m.partner_id as "partnerId", m.role, m.contract_chain_id as "contractChainId",
       m.created_at as "createdAt", p.status, p.reads_details is true as "readsDetails"
     from partner_member m join partner p on p.partner_id = m.partner_id where m.address = $1`,
    [address],
  )
  return row ?? null
}

const memberColumns = `address, partner_id as "partnerId", role, contract_chain_id as "contractChainId",
  created_at as "createdAt"`

export async function findMember(db: Queryable, address: string): Promise<Member | null> {
  const [row] = await db.query<Member>(`select ${memberColumns} from partner_member where address = $1`, [address])
  return row ?? null
}

export async function findMembers(db: Queryable, partnerId: string): Promise<Member[]> {
  return db.query<Member>(
    `select ${memberColumns} from partner_member where partner_id = $1 order by created_at, address`,
    [partnerId],
  )
}

/** Returns false when the wallet is already a member of a partner. */
export async function insertMember(tx: Tx, member: Member): Promise<boolean> {
  const rows = await tx.query(
    `insert into partner_member (address, partner_id, role, contract_chain_id, created_at) values ($1, $2, $3, $4, $5)
     on conflict (address) do nothing returning address`,
    [member.address, member.partnerId, member.role, member.contractChainId, member.createdAt],
  )
  return rows.length > 0
}

export async function updateRole(tx: Tx, address: string, role: Role): Promise<void> {
  await tx.query('update partner_member set role = $2 where address = $1', [address, role])
}

export async function deleteMember(tx: Tx, address: string): Promise<void> {
  await tx.query('delete from partner_member where address = $1', [address])
}

export type PartnerUser = { readonly userId: string; readonly createdAt: Date }

export async function insertPartnerUser(tx: Tx, partnerId: string, userId: string, at: Date): Promise<void> {
  await tx.query('insert into partner_user (user_id, partner_id, created_at) values ($1, $2, $3)', [
    userId,
    partnerId,
    at,
  ])
}

const partnerUsersIn = (order: 'oldest' | 'newest') => `-- scanDuePartnerUsers
  select user_id as "userId", created_at as "createdAt" from partner_user
  where partner_id = $1 and ($2::uuid is null or user_id ${order === 'oldest' ? '>' : '<'} $2)
  order by user_id ${order === 'oldest' ? '' : 'desc'} limit $3`
const partnerUsers = { oldest: partnerUsersIn('oldest'), newest: partnerUsersIn('newest') }

/** Returns users in the order of their registration. User ids begin with a timestamp, so they are sorted by id. */
export async function findPartnerUsers(
  db: Queryable,
  partnerId: string,
  { after, limit, order }: { after: string | null; limit: number; order: 'oldest' | 'newest' },
): Promise<PartnerUser[]> {
  return db.query<PartnerUser>(partnerUsers[order], [partnerId, after, limit])
}
