import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { requirePartner } from '../platform/http/access.ts'
import { DateTime, Done, done, nullable, oneOf, plainErrors } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../platform/idempotency/idempotency.ts'
import { placesOf } from '../providers/domain-proof/domain-proof.ts'
import { claimDomain, type DomainClaim, listDomainClaims, releaseDomain, verifyDomain } from './domains.ts'
import { addKycClient, listKycClients, removeKycClient } from './kyc-clients.ts'
import { environments } from './rules.ts'

const tags = ['Partners']

const DomainRecord = Type.Object(
  {
    domain: Type.String({ examples: ['app.example.com'] }),
    environment: oneOf(environments),
    createdAt: DateTime,
    verifiedAt: nullable(DateTime),
    proof: Type.Object(
      {
        dnsName: Type.String({ description: 'Name of the DNS TXT record.' }),
        dnsText: Type.String({ description: 'Content of the DNS TXT record.' }),
        url: Type.String({ description: 'URL of the proof file.' }),
        urlText: Type.String({ description: 'Complete content of the proof file.' }),
      },
      { description: 'The domain proof. Publish it either as a DNS TXT record or as a file.' },
    ),
  },
  { title: 'Domain' },
)

const domainRecord = ({ domain, environment, proof, createdAt, verifiedAt }: DomainClaim) => ({
  domain,
  environment,
  createdAt: createdAt.toISOString(),
  verifiedAt: verifiedAt?.toISOString() ?? null,
  proof: placesOf(domain, proof),
})

const DomainPath = Type.Object({ domain: Type.String({ pattern: '^[!-~]{1,300}$' }) })

/** Routes for the domains whose pages sign users in. */
export function partnerDomainRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/domains',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: 'List domains',
        description:
          'Sign-in messages may name a verified domain while the partner is active. `localhost` needs no registration.',
        operationId: 'partner.domains.list',
        response: { 200: Type.Object({ data: Type.Array(DomainRecord) }) },
      },
    },
    async (request) => ({ data: (await listDomainClaims(ctx, requirePartner(request))).map(domainRecord) }),
  )

  app.post(
    '/partner/domains',
    {
      config: { access: 'partner', permission: 'domains:write' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Claim a domain',
        description:
          'Write the domain as the address bar shows it: `host` or `host:port`, punycode, lower case. A `sandbox` domain works only in the sandbox, so production rejects it with 400.',
        operationId: 'partner.domains.claim',
        body: Type.Object({
          domain: Type.String({ maxLength: 300, examples: ['app.example.com'] }),
          environment: oneOf(environments),
        }),
        response: {
          201: DomainRecord,
          ...plainErrors(400, 'DOMAIN_CLAIMED', 'DOMAIN_LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requirePartner(request)
      return respondOnce(ctx, request, reply, caller.partnerId, async (tx) => ({
        status: 201,
        body: domainRecord(await claimDomain(ctx, tx, caller, request.body)),
      }))
    },
  )

  app.post(
    '/partner/domains/:domain/verify',
    {
      config: { access: 'partner', permission: 'domains:write', limited: 'domain' },
      schema: {
        tags,
        summary: 'Verify a claimed domain',
        description:
          'Looks up the domain proof. If it is published, sign-in messages may name the domain while the partner is active. The operation is idempotent, so `Idempotency-Key` is ignored.',
        operationId: 'partner.domains.verify',
        params: DomainPath,
        response: { 200: DomainRecord, ...plainErrors(400, 'DOMAIN_NOT_FOUND', 'DOMAIN_IN_USE', 'DOMAIN_NOT_PROVEN') },
      },
    },
    async (request) => domainRecord(await verifyDomain(ctx, requirePartner(request), request.params.domain)),
  )

  app.delete(
    '/partner/domains/:domain',
    {
      config: { access: 'partner', permission: 'domains:write' },
      schema: {
        tags,
        summary: 'Remove a domain',
        description:
          'Sign-in messages can no longer name the domain. Issued access tokens stay valid until they expire.',
        operationId: 'partner.domains.remove',
        params: DomainPath,
        response: { 200: Done, ...plainErrors(400, 'DOMAIN_NOT_FOUND') },
      },
    },
    async (request) => {
      await ctx.db.transaction((tx) => releaseDomain(ctx, tx, requirePartner(request), request.params.domain))
      return done
    },
  )
}

const ClientId = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  description: "The client's id at the KYC provider.",
  examples: ['example-wallet_1'],
})
const KycClientRecord = Type.Object({ clientId: Type.String(), createdAt: DateTime }, { title: 'KycClient' })

/** Routes for the KYC clients that users may share their identity verification with. */
export function kycClientRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/kyc-clients',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: 'List KYC clients',
        operationId: 'partner.kycClients.list',
        response: { 200: Type.Object({ data: Type.Array(KycClientRecord) }) },
      },
    },
    async (request) => {
      const clients = await listKycClients(ctx, requirePartner(request))
      return { data: clients.map(({ clientId, createdAt }) => ({ clientId, createdAt: createdAt.toISOString() })) }
    },
  )

  app.post(
    '/partner/kyc-clients',
    {
      config: { access: 'partner', permission: 'kyc-clients:write' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Add a KYC client',
        description: "The partner's users can then request share tokens with this client as `forClientId`.",
        operationId: 'partner.kycClients.add',
        body: Type.Object({ clientId: ClientId }),
        response: {
          201: KycClientRecord,
          ...plainErrors(400, 'KYC_CLIENT_IN_USE', 'KYC_CLIENT_LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requirePartner(request)
      return respondOnce(ctx, request, reply, caller.partnerId, async (tx) => {
        const { clientId, createdAt } = await addKycClient(ctx, tx, caller, request.body.clientId)
        return { status: 201, body: { clientId, createdAt: createdAt.toISOString() } }
      })
    },
  )

  app.delete(
    '/partner/kyc-clients/:clientId',
    {
      config: { access: 'partner', permission: 'kyc-clients:write' },
      schema: {
        tags,
        summary: 'Remove a KYC client',
        operationId: 'partner.kycClients.remove',
        params: Type.Object({ clientId: ClientId }),
        response: { 200: Done, ...plainErrors(400, 'KYC_CLIENT_NOT_FOUND') },
      },
    },
    async (request) => {
      await ctx.db.transaction((tx) => removeKycClient(ctx, tx, requirePartner(request), request.params.clientId))
      return done
    },
  )
}
