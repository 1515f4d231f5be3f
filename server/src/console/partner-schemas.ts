import { Type } from 'typebox'
import { ApiKeyRecord, apiKeyRecord, MemberRecord, memberRecord } from '../partners/schemas.ts'
import { DateTime, nullable, oneOf, Uuid } from '../platform/http/schemas.ts'
import { endpointStatuses } from '../webhooks/rules.ts'
import type { PartnerDetails } from './partners.ts'
import { PartnerSummary, partnerSummary } from './work-schemas.ts'

const Text = Type.String()

/** A partner with everything that it registered, except the hashes and secrets of keys. */
export const PartnerRecord = Type.Object(
  {
    ...PartnerSummary.properties,
    readsDetails: Type.Boolean({ description: 'Whether the partner may read cards and statements of its users.' }),
    members: Type.Array(MemberRecord),
    domains: Type.Array(
      Type.Object({ domain: Text, environment: Text, createdAt: DateTime, verifiedAt: nullable(DateTime) }),
    ),
    kycClients: Type.Array(Type.Object({ clientId: Text, createdAt: DateTime })),
    apiKeys: Type.Array(ApiKeyRecord),
    endpoints: Type.Array(
      Type.Object({ endpointId: Uuid, url: Text, status: oneOf(endpointStatuses), failingSince: nullable(DateTime) }),
    ),
  },
  { title: 'OperatorPartner' },
)

export function partnerRecord({ partner, members, domains, kycClients, apiKeys, endpoints }: PartnerDetails) {
  return {
    ...partnerSummary(partner),
    readsDetails: partner.readsDetails,
    members: members.map(memberRecord),
    domains: domains.map(({ domain, environment, createdAt, verifiedAt }) => ({
      ...{ domain, environment, createdAt: createdAt.toISOString() },
      verifiedAt: verifiedAt?.toISOString() ?? null,
    })),
    kycClients: kycClients.map(({ clientId, createdAt }) => ({ clientId, createdAt: createdAt.toISOString() })),
    apiKeys: apiKeys.map(apiKeyRecord),
    endpoints: endpoints.map(({ endpointId, url, status, failingSince }) => ({
      ...{ endpointId, url, status, failingSince: failingSince?.toISOString() ?? null },
    })),
  }
}
