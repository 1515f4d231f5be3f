import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import { Refusal } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import {
  deleteExpiredInvitations,
  deleteInvitation,
  findInvitations,
  findReceivedInvitation,
  findReceivedInvitations,
  type Invitation,
  putInvitation,
  type ReceivedInvitation,
} from './invitation-sql.ts'
import {
  type Actor,
  actorOf,
  addMember,
  isOfOwnChain,
  listMembers,
  type Member,
  recordPartnerChange,
  type Wallet,
} from './partners.ts'

/**
 * Invitations of wallets to a partner. Owns `partner_invitation`. A wallet works for one partner only, and must
 * consent. Otherwise a partner could make a stranger's wallet its member, and the stranger could not sign up as a
 * partner.
 *
 * Invariants:
 * - A wallet becomes a member of an existing partner only by accepting, with an access token of its own.
 * - A wallet accepts exactly the role that it was shown: a new invitation has a new id.
 * - An invitation ends after a week, and when its sender stops being an owner.
 */
export type { Invitation, ReceivedInvitation }

const maxOpenInvitations = 20
const lifeSeconds = 7 * 86_400
/** The maximum number of invitations that a wallet sees. Strangers can send more. */
const maxReceived = 100

export function listInvitations(ctx: Ctx, { partnerId }: Actor): Promise<Invitation[]> {
  return findInvitations(ctx.db, partnerId, ctx.clock.now())
}

/**
 * Invites a wallet. Does not reveal whether it works for another partner: only the wallet learns that when it accepts.
 */
export async function invite(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { address, role, contractChainId }: Pick<Invitation, 'address' | 'role' | 'contractChainId'>,
): Promise<Invitation> {
  const { partnerId } = actor
  const now = ctx.clock.now()
  const times = { createdAt: now, expiresAt: addSeconds(now, lifeSeconds) }
  const wanted = { address, role, contractChainId, invitedBy: actor.actor }
  const invitation: Invitation = { invitationId: newId(now), partnerId, ...wanted, ...times }
  await recordPartnerChange(ctx, tx, actor, {
    action: 'member.invited',
    subject: address,
    detail: { role },
    permissions: ['members:write'],
  })
  const members = await listMembers({ db: tx }, actor)
  if (members.some((member) => member.address === address)) throw new Refusal('ALREADY_A_MEMBER')
  await deleteExpiredInvitations(tx, partnerId, now)
  const others = (await findInvitations(tx, partnerId, now)).filter((open) => open.address !== address)
  if (others.length >= maxOpenInvitations) throw new Refusal('INVITATION_LIMIT_REACHED')
  await putInvitation(tx, invitation)
  return invitation
}

export async function revokeInvitation(ctx: Ctx, tx: Tx, actor: Actor, invitationId: string): Promise<void> {
  await recordPartnerChange(ctx, tx, actor, { action: 'invitation.revoked', subject: invitationId })
  await deleteOpenInvitation(ctx, tx, actor, invitationId)
}

/** Returns the wallet's open invitations, newest first. */
export async function listReceivedInvitations(ctx: Ctx, wallet: Wallet): Promise<ReceivedInvitation[]> {
  const page = { now: ctx.clock.now(), limit: maxReceived }
  const received = await findReceivedInvitations(ctx.db, wallet.signerAddress, page)
  return received.filter((invitation) => isOfOwnChain(wallet, invitation))
}

/** Makes the wallet a member with the role of the invitation. */
export async function acceptInvitation(ctx: Ctx, tx: Tx, wallet: Wallet, invitationId: string): Promise<Member> {
  const { partnerId, address, role, contractChainId } = await requireReceived(ctx, tx, wallet, invitationId)
  const actor = { partnerId, actor: actorOf(address) }
  const member = await addMember(ctx, tx, actor, {
    address,
    role,
    contractChainId: wallet.signedBy === 'contract' ? contractChainId : null,
  })
  await deleteOpenInvitation(ctx, tx, actor, invitationId)
  return member
}

export async function declineInvitation(ctx: Ctx, tx: Tx, wallet: Wallet, invitationId: string): Promise<void> {
  const { partnerId, address } = await requireReceived(ctx, tx, wallet, invitationId)
  const actor = { partnerId, actor: actorOf(address) }
  await recordPartnerChange(ctx, tx, actor, { action: 'invitation.declined', subject: invitationId })
  await deleteOpenInvitation(ctx, tx, actor, invitationId)
}

async function requireReceived(ctx: Ctx, db: Queryable, wallet: Wallet, invitationId: string): Promise<Invitation> {
  const key = { address: wallet.signerAddress, invitationId }
  const invitation = await findReceivedInvitation(db, key, ctx.clock.now())
  if (invitation === null || !isOfOwnChain(wallet, invitation)) throw new Refusal('INVITATION_NOT_FOUND')
  return invitation
}

/** Deletes the invitation under the partner's lock. Of two concurrent requests, only one finds it. */
async function deleteOpenInvitation(ctx: Ctx, tx: Tx, { partnerId }: Actor, invitationId: string): Promise<void> {
  if (!(await deleteInvitation(tx, partnerId, invitationId, ctx.clock.now()))) throw new Refusal('INVITATION_NOT_FOUND')
}
