import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import type { Caller, PartnerCaller } from '../platform/http/access.ts'
import { permissionsOf, type Role } from './rules.ts'
import {
  deleteMember,
  findAudit,
  findMember,
  findMembers,
  findPartner,
  findPartnerUsers,
  insertAudit,
  insertMember,
  insertPartner,
  insertPartnerUser,
  type Member,
  nextChange,
  type Partner,
  updateRole,
} from './sql.ts'

/**
 * Partners and the wallets that work for them. Owns `partner`, `partner_member`, `partner_user`, `partner_audit`.
 * Invariants: a wallet works for one partner at most; a partner always has an owner; every change of anything of a
 * partner is a row of its audit log, written first, which takes the partner's lock: changes come one after the other.
 */
export type Actor = Pick<PartnerCaller, 'partnerId' | 'actor'>
export { lockPartner } from './sql.ts'
export type { Member, Partner }

/** What a token says of the wallet that signed in. */
type Wallet = Pick<Caller, 'signerAddress' | 'signedBy' | 'chainId'>

/** What was done to what, in words that stay: `member.added`, `domain.verified` … Secrets have no place in it. */
export type Change = { readonly action: string; readonly subject: string; readonly detail?: object }

/** Takes the partner's lock and writes the change down; what the caller then writes, or undoes, goes with it. */
export async function recordChange(
  ctx: Pick<Ctx, 'clock'>,
  tx: Tx,
  { partnerId, actor }: Actor,
  { action, subject, detail = {} }: Change,
): Promise<void> {
  const seq = await nextChange(tx, partnerId)
  await insertAudit(tx, partnerId, { seq, actor, action, subject, detail, createdAt: ctx.clock.now() })
}

/** A contract speaks for its member on one chain only: on another, the same address may be anybody's. */
export async function partnerOfWallet(
  ctx: Pick<Ctx, 'db'>,
  { signerAddress: address, signedBy, chainId }: Wallet,
): Promise<PartnerCaller> {
  const member = await findMember(ctx.db, address)
  const isTheirs = signedBy === 'key' || member?.contractChainId === chainId
  if (member === null || !isTheirs) throw new Refusal('NOT_A_MEMBER')
  return { partnerId: member.partnerId, actor: actorOf(address), permissions: permissionsOf[member.role] }
}

/** A new partner, with the wallet as its owner. */
export async function signUp(ctx: Ctx, tx: Tx, wallet: Wallet, name: string): Promise<Partner> {
  const { signerAddress: address, signedBy, chainId } = wallet
  const contractChainId = signedBy === 'contract' ? chainId : null
  const now = ctx.clock.now()
  const partner: Partner = { partnerId: newId(now), name, createdAt: now }
  await insertPartner(tx, partner)
  await addMember(
    ctx,
    tx,
    { partnerId: partner.partnerId, actor: actorOf(address) },
    { address, role: 'owner', contractChainId },
  )
  return partner
}

export async function readPartner(ctx: Ctx, { partnerId }: Actor): Promise<Partner> {
  const partner = await findPartner(ctx.db, partnerId)
  if (partner === null) throw new Error('a member without a partner')
  return partner
}

export async function requirePartnerExists(tx: Tx, partnerId: string): Promise<void> {
  if ((await findPartner(tx, partnerId)) === null) throw new Refusal('PARTNER_NOT_FOUND')
}

export function listMembers(ctx: Ctx, { partnerId }: Actor): Promise<Member[]> {
  return findMembers(ctx.db, partnerId)
}

/** Nobody is asked whether they want to: whoever does not may leave. */
export async function addMember(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { address, role, contractChainId }: Pick<Member, 'address' | 'role' | 'contractChainId'>,
): Promise<Member> {
  const { partnerId } = actor
  const member: Member = { address, role, contractChainId, partnerId, createdAt: ctx.clock.now() }
  await recordChange(ctx, tx, actor, { action: 'member.added', subject: address, detail: { role } })
  if (!(await insertMember(tx, member))) throw new Refusal('ALREADY_A_MEMBER')
  return member
}

export async function changeRole(ctx: Ctx, tx: Tx, actor: Actor, address: string, role: Role): Promise<Member> {
  await recordChange(ctx, tx, actor, { action: 'member.role-changed', subject: address, detail: { role } })
  const member = await requireMember(tx, actor, address)
  if (role !== 'owner') await requireOtherOwner(tx, actor, address)
  await updateRole(tx, address, role)
  return { ...member, role }
}

/** An owner removes anybody; everybody else only themselves. */
export async function removeMember(ctx: Ctx, tx: Tx, actor: PartnerCaller, address: string): Promise<void> {
  const isLeaving = actor.actor === actorOf(address)
  if (!isLeaving && !actor.permissions.includes('members:write')) throw new Refusal('NOT_PERMITTED')
  await recordChange(ctx, tx, actor, { action: isLeaving ? 'member.left' : 'member.removed', subject: address })
  await requireMember(tx, actor, address)
  await requireOtherOwner(tx, actor, address)
  await deleteMember(tx, address)
}

async function requireMember(tx: Tx, { partnerId }: Actor, address: string): Promise<Member> {
  const member = await findMember(tx, address)
  if (member?.partnerId !== partnerId) throw new Refusal('MEMBER_NOT_FOUND')
  return member
}

/** Under the partner's lock, so that two owners cannot send each other away. */
async function requireOtherOwner(tx: Tx, { partnerId }: Actor, address: string): Promise<void> {
  const members = await findMembers(tx, partnerId)
  if (!members.some((member) => member.role === 'owner' && member.address !== address)) throw new Refusal('LAST_OWNER')
}

/** The user came through the partner, and stays theirs. */
export async function attributeUser(tx: Tx, partnerId: string, userId: string, at: Date): Promise<void> {
  await insertPartnerUser(tx, partnerId, userId, at)
}

export type Page = { readonly limit: number; readonly after: string | undefined }

/** Oldest first. */
export async function listUsers(ctx: Ctx, { partnerId }: Actor, { limit, after }: Page) {
  return pageOf(await findPartnerUsers(ctx.db, partnerId, { limit: limit + 1, after: after ?? null }), limit)
}

/** Oldest first. */
export async function listAudit(ctx: Ctx, { partnerId }: Actor, { limit, after }: Page) {
  return pageOf(await findAudit(ctx.db, partnerId, { limit: limit + 1, after: BigInt(after ?? 0) }), limit)
}

/** One row more than asked for tells that there are more. */
export function pageOf<T>(rows: readonly T[], limit: number): { rows: readonly T[]; hasNext: boolean } {
  return { rows: rows.slice(0, limit), hasNext: rows.length > limit }
}

function actorOf(address: string): string {
  return `wallet:${address}`
}
