import type { Ctx } from '../context.ts'
import { auditLog, beginLog, microsOf, sealRecords } from '../events/sealed-log.ts'
import { Refusal } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import type { Permission } from '../lib/partner-permission.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { Caller, PartnerCaller } from '../platform/http/access.ts'
import { type ApiKey, findValidKeysBy, markApiKeyRevoked } from './api-keys-sql.ts'
import { deleteInvitationsBy } from './invitation-sql.ts'
import { effective, mayServeUser, permissionsOf, type Role } from './rules.ts'
import {
  type AuditFilter,
  type AuditRow,
  deleteMember,
  findAudit,
  findLastAuditSeq,
  findMember,
  findMembers,
  findMembership,
  findPartner,
  findPartnerUsers,
  insertAudit,
  insertMember,
  insertPartner,
  insertPartnerUser,
  isPartnerUser,
  lockPartner,
  type Member,
  type NewAuditRow,
  type Partner,
  updatePartnerName,
  updateRole,
} from './sql.ts'

/**
 * Partners and their members. Owns `partner`, `partner_member`, `partner_user`, `partner_audit`.
 *
 * Invariants:
 * - A wallet is a member of at most one partner.
 * - A partner always has an owner.
 * - Every change to a partner's resources first locks the partner's row and writes an audit row. So changes to one
 *   partner never run concurrently.
 * - Every read of a user's details writes an audit row before its response. It does not lock the partner.
 */
export type Actor = Pick<PartnerCaller, 'partnerId' | 'actor'>
export { findAudit, lockPartner } from './sql.ts'
export type { AuditRow, Member, Partner }

/** The wallet that an access token names, and the partner of its sign-in domain. */
export type Wallet = Pick<Caller, 'signerAddress' | 'signedBy' | 'chainId' | 'partnerId'>

/** An audit entry: a stable action name such as `member.added`, and its subject. It must not contain secrets. */
export type PartnerChange = {
  readonly action: string
  readonly subject: string
  readonly detail?: object
  /** The actor must still be a member with these permissions. Absent if the check of the request is enough. */
  readonly permissions?: readonly Permission[]
}

/**
 * Locks the partner and writes the audit row. Call it before the change itself, in the same transaction. Changes that
 * give somebody lasting access check the permission again: the actor may have lost it while it waited for the lock.
 */
export async function recordPartnerChange(
  ctx: Pick<Ctx, 'clock' | 'config'>,
  tx: Tx,
  { partnerId, actor }: Actor,
  { action, subject, detail = {}, permissions }: PartnerChange,
): Promise<void> {
  if ((await lockPartner(tx, partnerId)) === null) throw new Error(`partner ${partnerId} is gone`)
  if (permissions !== undefined) {
    const member = (await findMembers(tx, partnerId)).find(({ address }) => actorOf(address) === actor)
    const given = member === undefined ? [] : permissionsOf[member.role]
    if (!permissions.every((permission) => given.includes(permission))) throw new Refusal('NOT_PERMITTED')
  }
  await writeAudit(ctx, tx, partnerId, [{ actor, action, subject, detail, createdAt: ctx.clock.now() }])
}

/** A read of personal data: a stable action name such as `user.details-read`, and the user. */
export type PartnerRead = Pick<AuditRow, 'actor' | 'action' | 'subject'>

/** Writes an audit row for each read. */
export async function recordPartnerReads(
  ctx: Pick<Ctx, 'clock' | 'config'>,
  tx: Tx,
  partnerId: string,
  reads: readonly PartnerRead[],
): Promise<void> {
  const createdAt = ctx.clock.now()
  const rows = reads.map((read) => ({ ...read, detail: {}, createdAt }))
  await writeAudit(ctx, tx, partnerId, rows)
}

async function writeAudit(
  ctx: Pick<Ctx, 'config'>,
  tx: Tx,
  partnerId: string,
  rows: readonly NewAuditRow[],
): Promise<void> {
  const records = rows.map(({ actor, action, subject, detail, createdAt }) => [
    ...[actor, action, subject, JSON.stringify(detail)],
    microsOf(createdAt),
  ])
  const log = { name: auditLog(partnerId), lastSeq: (reader: Tx) => findLastAuditSeq(reader, partnerId) }
  await insertAudit(tx, partnerId, rows, await sealRecords(ctx, tx, log, records))
}

/**
 * Returns the partner that the wallet is a member of. A contract wallet is accepted on its own chain only: on another
 * chain the same address may belong to someone else. A member, like a user, signs in at no other partner's domain,
 * unless SHARED_DOMAINS is on.
 */
export async function partnerOfWallet(ctx: Pick<Ctx, 'db' | 'config'>, wallet: Wallet): Promise<PartnerCaller> {
  const { signerAddress: address, partnerId: domainPartnerId } = wallet
  const member = await findMembership(ctx.db, address)
  if (member === null || !isOfOwnChain(wallet, member)) throw new Refusal('NOT_A_MEMBER')
  const { partnerId, status, role, readsDetails } = member
  if (!ctx.config.sharedDomains && !mayServeUser(domainPartnerId ?? null, partnerId))
    throw new Refusal('DOMAIN_OF_OTHER_PARTNER')
  return { partnerId, status, actor: actorOf(address), permissions: effective(permissionsOf[role], readsDetails) }
}

/**
 * Returns whether the wallet signs with a key, or is the contract on the chain that its membership or invitation names.
 */
export function isOfOwnChain(
  { signedBy, chainId }: Wallet,
  { contractChainId }: { readonly contractChainId: string | null },
): boolean {
  return signedBy === 'key' || contractChainId === chainId
}

/**
 * Creates a partner with the wallet as its owner. It waits for an operator's approval unless PARTNER_SIGN_UP is open.
 */
export async function signUp(ctx: Ctx, tx: Tx, wallet: Wallet, name: string): Promise<Partner> {
  const { signerAddress: address, signedBy, chainId } = wallet
  const contractChainId = signedBy === 'contract' ? chainId : null
  const now = ctx.clock.now()
  const status = ctx.config.partnerSignUp === 'open' ? 'active' : 'pending'
  const partner: Partner = { partnerId: newId(now), name, status, readsDetails: false, createdAt: now }
  // On a cluster, sign-ups would deadlock if each inserted its partner before it waits to lock it.
  await lockPartner(tx, partner.partnerId)
  await insertPartner(tx, partner)
  await beginLog(ctx, tx, auditLog(partner.partnerId))
  await addMember(
    ctx,
    tx,
    { partnerId: partner.partnerId, actor: actorOf(address) },
    { address, role: 'owner', contractChainId },
  )
  return partner
}

export async function readPartner(ctx: { readonly db: Queryable }, { partnerId }: Actor): Promise<Partner> {
  const partner = await findPartner(ctx.db, partnerId)
  if (partner === null) throw new Error(`partner ${partnerId} does not exist`)
  return partner
}

export async function requirePartnerExists(db: Queryable, partnerId: string): Promise<void> {
  if ((await findPartner(db, partnerId)) === null) throw new Refusal('PARTNER_NOT_FOUND')
}

export async function renamePartner(ctx: Ctx, tx: Tx, actor: Actor, name: string): Promise<Partner> {
  const { partnerId } = actor
  await recordPartnerChange(ctx, tx, actor, {
    action: 'partner.renamed',
    subject: partnerId,
    detail: { name },
    permissions: ['members:write'],
  })
  await updatePartnerName(tx, partnerId, name)
  return readPartner({ db: tx }, actor)
}

export function listMembers(ctx: { readonly db: Queryable }, { partnerId }: Actor): Promise<Member[]> {
  return findMembers(ctx.db, partnerId)
}

/** Adds a wallet as a member. Call it only for the wallet's own request. */
export async function addMember(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { address, role, contractChainId }: Pick<Member, 'address' | 'role' | 'contractChainId'>,
): Promise<Member> {
  const { partnerId } = actor
  const member: Member = { address, role, contractChainId, partnerId, createdAt: ctx.clock.now() }
  await recordPartnerChange(ctx, tx, actor, { action: 'member.added', subject: address, detail: { role } })
  if (!(await insertMember(tx, member))) throw new Refusal('ALREADY_A_MEMBER')
  return member
}

/**
 * Changes the role of a member. A demotion revokes the API keys that the member created and that exceed its new role.
 */
export async function changeRole(ctx: Ctx, tx: Tx, actor: Actor, address: string, role: Role): Promise<Member> {
  await recordPartnerChange(ctx, tx, actor, {
    action: 'member.role-changed',
    subject: address,
    detail: { role },
    permissions: ['members:write'],
  })
  const member = await requireMember(tx, actor, address)
  if (role !== 'owner') await requireOtherOwner(tx, actor, address)
  if (role !== 'owner') await deleteInvitationsBy(tx, actor.partnerId, actorOf(address))
  await updateRole(tx, address, role)
  const now = ctx.clock.now()
  const keys = await findValidKeysBy(tx, actor.partnerId, actorOf(address), now)
  const exceeding = keys.filter(({ scopes }) => !scopes.every((scope) => permissionsOf[role].includes(scope)))
  await revokeKeys(ctx, tx, actor, exceeding, now)
  return { ...member, role }
}

/**
 * Removes a member with the invitations that it sent, and revokes the API keys that it created unless `keepKeys` is
 * set. Returns these keys. An owner may remove any member, others only themselves. Only an owner may keep the keys.
 */
export async function removeMember(
  ctx: Ctx,
  tx: Tx,
  actor: PartnerCaller,
  address: string,
  keepKeys: boolean,
): Promise<readonly ApiKey[]> {
  const isLeaving = actor.actor === actorOf(address)
  const isOwner = actor.permissions.includes('members:write')
  if (!isOwner && (!isLeaving || keepKeys)) throw new Refusal('NOT_PERMITTED')
  const change = { action: isLeaving ? 'member.left' : 'member.removed', subject: address }
  await recordPartnerChange(ctx, tx, actor, { ...change, permissions: [isOwner ? 'members:write' : 'partner:read'] })
  await requireMember(tx, actor, address)
  await requireOtherOwner(tx, actor, address)
  await deleteMember(tx, address)
  await deleteInvitationsBy(tx, actor.partnerId, actorOf(address))
  const now = ctx.clock.now()
  const keys = await findValidKeysBy(tx, actor.partnerId, actorOf(address), now)
  return keepKeys ? keys : revokeKeys(ctx, tx, actor, keys, now)
}

async function revokeKeys(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  keys: readonly ApiKey[],
  now: Date,
): Promise<readonly ApiKey[]> {
  for (const { keyId } of keys) {
    await recordPartnerChange(ctx, tx, actor, { action: 'api-key.revoked', subject: keyId })
    await markApiKeyRevoked(tx, actor.partnerId, keyId, now)
  }
  return keys.map((key) => ({ ...key, revokedAt: now }))
}

async function requireMember(tx: Tx, { partnerId }: Actor, address: string): Promise<Member> {
  const member = await findMember(tx, address)
  if (member?.partnerId !== partnerId) throw new Refusal('MEMBER_NOT_FOUND')
  return member
}

/** Checks that another owner remains. The partner's lock keeps two owners from removing each other. */
async function requireOtherOwner(tx: Tx, { partnerId }: Actor, address: string): Promise<void> {
  const members = await findMembers(tx, partnerId)
  if (!members.some((member) => member.role === 'owner' && member.address !== address)) throw new Refusal('LAST_OWNER')
}

/** Records permanently that the partner brought the user. */
export async function attributeUser(tx: Tx, partnerId: string, userId: string, at: Date): Promise<void> {
  await insertPartnerUser(tx, partnerId, userId, at)
}

export type PageQuery = { readonly limit: number; readonly after: string | undefined }

/** Returns a page of the partner's users. */
export async function listUsers(
  ctx: Ctx,
  { partnerId }: Actor,
  { limit, after, order }: PageQuery & Pick<AuditFilter, 'order'>,
) {
  return pageOf(await findPartnerUsers(ctx.db, partnerId, { limit: limit + 1, after: after ?? null, order }), limit)
}

/** Returns a page of the partner's audit log. */
export async function listAudit(ctx: Ctx, { partnerId }: Actor, { limit, after, ...filter }: PageQuery & AuditFilter) {
  const place = after === undefined ? null : BigInt(after)
  return pageOf(await findAudit(ctx.db, partnerId, { ...filter, limit: limit + 1, after: place }), limit)
}

/** Throws the same refusal for a user of another partner and for an unknown one. */
export async function requirePartnerUser(
  db: Queryable,
  { partnerId }: Pick<Actor, 'partnerId'>,
  userId: string,
): Promise<void> {
  if (!(await isPartnerUser(db, partnerId, userId))) throw new Refusal('USER_NOT_FOUND')
}

/** Cuts rows to the limit. Callers fetch one extra row, which shows whether another page follows. */
export function pageOf<T>(rows: readonly T[], limit: number): { rows: readonly T[]; hasNext: boolean } {
  return { rows: rows.slice(0, limit), hasNext: rows.length > limit }
}

/** Returns the wallet's name in the audit log. */
export function actorOf(address: string): string {
  return `wallet:${address}`
}
