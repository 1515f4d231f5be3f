import type { Ctx } from '../context.ts'
import type { PartnerStatus } from '../lib/partner-status.ts'
import { type ListedRows, type ListRequest, readList } from '../operators/pages.ts'
import { type ApiKey, listApiKeys } from '../partners/api-keys.ts'
import { type DomainClaim, listDomainClaims } from '../partners/domains.ts'
import { type KycClient, listKycClients } from '../partners/kyc-clients.ts'
import {
  type AuditRow,
  findAudit,
  listMembers,
  type Member,
  type Partner,
  readPartner,
  requirePartnerExists,
} from '../partners/partners.ts'
import { type Endpoint, listEndpoints } from '../webhooks/webhooks.ts'
import { type DomainRow, findDomainsAfter, findPartnersBefore, type PartnerRow } from './partners-sql.ts'

/** Partners, domains and keys as operators see them. Owns no table. */
export type { DomainRow, PartnerRow }

export function listPartnerPage(
  { db }: Pick<Ctx, 'db'>,
  { status, ...request }: ListRequest & { readonly status?: PartnerStatus },
): Promise<ListedRows<PartnerRow>> {
  return readList(
    { parts: ['id'], from: 'newest' },
    request,
    ([below = ''], limit) => findPartnersBefore(db, status ?? null, below, limit),
    ({ partnerId }) => [partnerId],
  )
}

export type PartnerDetails = {
  readonly partner: Partner
  readonly members: readonly Member[]
  readonly domains: readonly DomainClaim[]
  readonly kycClients: readonly KycClient[]
  readonly apiKeys: readonly ApiKey[]
  readonly endpoints: readonly Endpoint[]
}

export async function readPartnerDetails(ctx: Ctx, partnerId: string): Promise<PartnerDetails> {
  const reader = { partnerId, actor: 'operator' }
  await requirePartnerExists(ctx.db, partnerId)
  const partner = await readPartner(ctx, reader)
  const [members, domains, kycClients, apiKeys, endpoints] = await Promise.all([
    listMembers(ctx, reader),
    listDomainClaims(ctx, reader),
    listKycClients(ctx, reader),
    listApiKeys(ctx, reader),
    listEndpoints(ctx, reader),
  ])
  return { partner, members, domains, kycClients, apiKeys, endpoints }
}

/** Returns the audit log of a partner, newest first: its changes, and who read the details of its users. */
export async function listPartnerAudit(
  { db }: Pick<Ctx, 'db'>,
  partnerId: string,
  { action, actor, subject, ...request }: ListRequest & { action?: string; actor?: string; subject?: string },
): Promise<ListedRows<AuditRow>> {
  await requirePartnerExists(db, partnerId)
  const filter = { action: action ?? null, actor: actor ?? null, subject: subject ?? null }
  return readList(
    { parts: ['number'], from: 'newest' },
    request,
    ([below = ''], limit) => findAudit(db, partnerId, { ...filter, order: 'newest', after: BigInt(below), limit }),
    ({ seq }) => [seq],
  )
}

export function listDomainPage({ db }: Pick<Ctx, 'db'>, request: ListRequest): Promise<ListedRows<DomainRow>> {
  return readList(
    { parts: ['text'], from: 'oldest' },
    request,
    ([after = ''], limit) => findDomainsAfter(db, after, limit),
    ({ domain }) => [domain],
  )
}
