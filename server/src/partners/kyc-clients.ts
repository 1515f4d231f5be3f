import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import type { Tx } from '../platform/db/db.ts'
import { type Actor, recordChange } from './partners.ts'
import { deleteKycClient, findKycClient, findKycClients, insertKycClient, type KycClient } from './sql.ts'

/**
 * The clients, at the provider of identity verification, that users' verification may be shared with. Owns
 * `partner_kyc_client`; the operator's own stand in the configuration. Invariant: a client id is one partner's at most.
 */
export async function isKycClient(ctx: Ctx, clientId: string): Promise<boolean> {
  return ctx.config.kycClients.includes(clientId) || (await findKycClient(ctx.db, clientId)) !== null
}

export function listKycClients(ctx: Ctx, { partnerId }: Actor): Promise<KycClient[]> {
  return findKycClients(ctx.db, partnerId)
}

export async function addKycClient(ctx: Ctx, tx: Tx, actor: Actor, clientId: string): Promise<KycClient> {
  const client: KycClient = { clientId, createdAt: ctx.clock.now() }
  await recordChange(ctx, tx, actor, { action: 'kyc-client.added', subject: clientId })
  const isTaken = ctx.config.kycClients.includes(clientId)
  if (isTaken || !(await insertKycClient(tx, actor.partnerId, client))) throw new Refusal('KYC_CLIENT_IN_USE')
  return client
}

export async function removeKycClient(ctx: Ctx, tx: Tx, actor: Actor, clientId: string): Promise<void> {
  await recordChange(ctx, tx, actor, { action: 'kyc-client.removed', subject: clientId })
  if (!(await deleteKycClient(tx, actor.partnerId, clientId))) throw new Refusal('KYC_CLIENT_NOT_FOUND')
}
