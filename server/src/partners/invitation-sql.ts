import { statusesWithAccess } from '../lib/partner-status.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { Role } from './rules.ts'

export type Invitation = {
  readonly invitationId: string
  readonly partnerId: string
  readonly address: string
  readonly role: Role
  /** null for a wallet that signs with a key */
  readonly contractChainId: string | null
  readonly invitedBy: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

const columns = `i.invitation_id as "invitationId", i.partner_id as "partnerId", i.address, i.role,
  i.contract_chain_id as "contractChainId", i.invited_by as "invitedBy", i.created_at as "createdAt",
  i.expires_at as "expiresAt"`

/** Returns the partner's open invitations, oldest first. */
export async function findInvitations(db: Queryable, partnerId: string, now: Date): Promise<Invitation[]> {
  return db.query<Invitation>(
    `select ${columns} from partner_invitation i where i.partner_id = $1 and i.expires_at > $2 order by i.invitation_id`,
    [partnerId, now],
  )
}

export type ReceivedInvitation = Invitation & { readonly partnerName: string }

/** Returns the wallet's newest open invitations. A suspended partner has none. */
export async function findReceivedInvitations(
  db: Queryable,
  address: string,
  { now, limit }: { now: Date; limit: number },
): Promise<ReceivedInvitation[]> {
  return db.query<ReceivedInvitation>(
    `select ${columns}, p.name as "partnerName"
     from partner_invitation i join partner p on p.partner_id = i.partner_id
     where i.address = $1 and i.expires_at > $2 and p.status = any($4) order by i.invitation_id desc limit $3`,
    [address, now, limit, statusesWithAccess],
  )
}

/** Finds an open invitation of the wallet. */
export async function findReceivedInvitation(
  db: Queryable,
  { address, invitationId }: Pick<Invitation, 'address' | 'invitationId'>,
  now: Date,
): Promise<Invitation | null> {
  const [row] = await db.query<Invitation>(
    `select ${columns} from partner_invitation i join partner p on p.partner_id = i.partner_id
     where i.invitation_id = $1 and i.address = $2 and i.expires_at > $3 and p.status = any($4)`,
    [invitationId, address, now, statusesWithAccess],
  )
  return row ?? null
}

/** Stores an invitation in place of an earlier one of the same wallet. */
export async function putInvitation(tx: Tx, invitation: Invitation): Promise<void> {
  await tx.query(
    `insert into partner_invitation (partner_id, address, invitation_id, role, contract_chain_id, invited_by, created_at,
       expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (partner_id, address) do update set invitation_id = excluded.invitation_id, role = excluded.role,
       contract_chain_id = excluded.contract_chain_id, invited_by = excluded.invited_by,
       created_at = excluded.created_at, expires_at = excluded.expires_at`,
    [
      invitation.partnerId,
      invitation.address,
      invitation.invitationId,
      invitation.role,
      invitation.contractChainId,
      invitation.invitedBy,
      invitation.createdAt,
      invitation.expiresAt,
    ],
  )
}

/** Returns false when the partner has no open invitation with this id. */
export async function deleteInvitation(tx: Tx, partnerId: string, invitationId: string, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `delete from partner_invitation where partner_id = $1 and invitation_id = $2 and expires_at > $3
     returning invitation_id`,
    [partnerId, invitationId, now],
  )
  return rows.length > 0
}

export async function deleteExpiredInvitations(tx: Tx, partnerId: string, now: Date): Promise<void> {
  await tx.query('delete from partner_invitation where partner_id = $1 and expires_at <= $2', [partnerId, now])
}

export async function deleteInvitationsBy(tx: Tx, partnerId: string, invitedBy: string): Promise<void> {
  await tx.query('delete from partner_invitation where partner_id = $1 and invited_by = $2', [partnerId, invitedBy])
}
