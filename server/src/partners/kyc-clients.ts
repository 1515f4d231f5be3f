import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import { hasAccess } from '../lib/partner-status.ts'
import type { Tx } from '../platform/db/db.ts'
import {
  deleteKycClient,
  findKycClients,
  findPartnerOfKycClient,
  insertKycClient,
  type KycClient,
} from './kyc-clients-sql.ts'
import { type Actor, readPartner, recordPartnerChange } from './partners.ts'

export type { KycClient }

/**
 * The KYC clients that users may share their identity verification with. Owns `partner_kyc_client`. The programme's own
 * clients come from the configuration. Invariant: a client id belongs to at most one partner.
 */
const maxKycClients = 20

/**
 * Returns whether a user of this partner may share with the client. It must be a client of the programme, or of the
 * active partner of the user. With SHARED_DOMAINS on, a client of any active partner is accepted.
 */
export async function mayShareWith(ctx: Ctx, clientId: string, userPartnerId: string | null): Promise<boolean> {
  if (ctx.config.kycClients.includes(clientId)) return true
  const partnerId = await findPartnerOfKycClient(ctx.db, clientId)
  return partnerId !== null && (ctx.config.sharedDomains || partnerId === userPartnerId)
}

export function listKycClients(ctx: Ctx, { partnerId }: Actor): Promise<KycClient[]> {
  return findKycClients(ctx.db, partnerId)
}

export async function addKycClient(ctx: Ctx, tx: Tx, actor: Actor, clientId: string): Promise<KycClient> {
  const client: KycClient = { clientId, createdAt: ctx.clock.now() }
  await recordPartnerChange(ctx, tx, actor, { action: 'kyc-client.added', subject: clientId })
  // The suspension of a pending partner deletes its clients, so none may be added afterwards.
  if (!hasAccess((await readPartner({ db: tx }, actor)).status)) throw new Refusal('PARTNER_SUSPENDED')
  if ((await findKycClients(tx, actor.partnerId)).length >= maxKycClients) throw new Refusal('KYC_CLIENT_LIMIT_REACHED')
  const isTaken = ctx.config.kycClients.includes(clientId)
  if (isTaken || !(await insertKycClient(tx, actor.partnerId, client))) throw new Refusal('KYC_CLIENT_IN_USE')
  return client
}

export async function removeKycClient(ctx: Ctx, tx: Tx, actor: Actor, clientId: string): Promise<void> {
  await recordPartnerChange(ctx, tx, actor, { action: 'kyc-client.removed', subject: clientId })
  if (!(await deleteKycClient(tx, actor.partnerId, clientId))) throw new Refusal('KYC_CLIENT_NOT_FOUND')
}
