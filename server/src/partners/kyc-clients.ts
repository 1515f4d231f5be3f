import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import type { Tx } from '../platform/db/db.ts'
import { type Actor, recordPartnerChange } from './partners.ts'
import { deleteKycClient, findKycClient, findKycClients, insertKycClient, type KycClient } from './sql.ts'

/**
 * The KYC clients that users may share their identity verification with. Owns `partner_kyc_client`. The programme's own
 * clients come from the configuration. Invariant: a client id belongs to at most one partner.
 */
export async function isKycClient(ctx: Ctx, clientId: string): Promise<boolean> {
  return ctx.config.kycClients.includes(clientId) || (await findKycClient(ctx.db, clientId)) !== null
}

export function listKycClients(ctx: Ctx, { partnerId }: Actor): Promise<KycClient[]> {
  return findKycClients(ctx.db, partnerId)
}

export async function addKycClient(ctx: Ctx, tx: Tx, actor: Actor, clientId: string): Promise<KycClient> {
  const client: KycClient = { clientId, createdAt: ctx.clock.now() }
  await recordPartnerChange(ctx, tx, actor, { action: 'kyc-client.added', subject: clientId })
  const isTaken = ctx.config.kycClients.includes(clientId)
  if (isTaken || !(await insertKycClient(tx, actor.partnerId, client))) throw new Refusal('KYC_CLIENT_IN_USE')
  return client
}

export async function removeKycClient(ctx: Ctx, tx: Tx, actor: Actor, clientId: string): Promise<void> {
  await recordPartnerChange(ctx, tx, actor, { action: 'kyc-client.removed', subject: clientId })
  if (!(await deleteKycClient(tx, actor.partnerId, clientId))) throw new Refusal('KYC_CLIENT_NOT_FOUND')
}
