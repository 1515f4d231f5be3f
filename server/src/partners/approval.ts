import type { Ctx } from '../context.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { isId } from '../lib/id.ts'
import type { PartnerStatus } from '../lib/partner-status.ts'
import { deleteKycClients } from './kyc-clients-sql.ts'
import { lockPartner, type Partner, recordPartnerChange } from './partners.ts'
import { findPartners, updatePartnerStatus, updateReadsDetails } from './sql.ts'

/**
 * Approval and suspension of partners by operators: pending → active ⇄ suspended, or pending → suspended. A partner's
 * status takes effect within a second in all processes: every request reads the status, directly or through the cached
 * list of sign-in domains. The partner's audit log names no operator; the operator decision does.
 */
type OperatorCtx = Pick<Ctx, 'config' | 'clock' | 'db' | 'caches'>

const maxListed = 1000

/** Returns pending partners first, then the newest. */
export function listPartners(ctx: Pick<Ctx, 'db'>): Promise<Partner[]> {
  return findPartners(ctx.db, maxListed)
}

export function approvePartner(ctx: OperatorCtx, partnerId: string): Promise<Partner> {
  return decide(ctx, partnerId, 'active')
}

export function suspendPartner(ctx: OperatorCtx, partnerId: string): Promise<Partner> {
  return decide(ctx, partnerId, 'suspended')
}

/**
 * Lets a partner's owners and API keys read the cards and statements of its users, or ends that. Returns false if that
 * changes nothing.
 */
export async function grantDetails(ctx: OperatorCtx, partnerId: string, isGranted: boolean): Promise<boolean> {
  if (!isId(partnerId)) throw new InvalidInput(`"${partnerId}" is not a partner id. Use a UUID.`)
  return ctx.db.transaction(async (tx) => {
    const partner = await lockPartner(tx, partnerId)
    if (partner === null) throw new Refusal('PARTNER_NOT_FOUND')
    if (partner.readsDetails === isGranted) return false
    const action = isGranted ? 'partner.details-granted' : 'partner.details-withdrawn'
    await recordPartnerChange(ctx, tx, { partnerId, actor: 'operator' }, { action, subject: partnerId })
    await updateReadsDetails(tx, partnerId, isGranted)
    return true
  })
}

async function decide(
  ctx: OperatorCtx,
  partnerId: string,
  status: Exclude<PartnerStatus, 'pending'>,
): Promise<Partner> {
  if (!isId(partnerId)) throw new InvalidInput(`"${partnerId}" is not a partner id. Use a UUID.`)
  const decided = await ctx.db.transaction(async (tx) => {
    const partner = await lockPartner(tx, partnerId)
    if (partner === null) throw new Refusal('PARTNER_NOT_FOUND')
    if (partner.status === status) throw new InvalidInput(`The partner is already ${status}.`)
    const action = status === 'active' ? 'partner.approved' : 'partner.suspended'
    await recordPartnerChange(ctx, tx, { partnerId, actor: 'operator' }, { action, subject: partnerId })
    await updatePartnerStatus(tx, partnerId, status)
    // Nobody has confirmed that these KYC clients belong to the partner. Their deletion lets their real owner add them.
    if (partner.status === 'pending' && status === 'suspended') await deleteKycClients(tx, partnerId)
    return { ...partner, status }
  })
  ctx.caches.signInDomains.clear()
  return decided
}
