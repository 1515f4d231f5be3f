import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { requirePartner } from '../platform/http/access.ts'
import { DateTime, Done, done, nullable, oneOf, plainErrors } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../platform/idempotency/idempotency.ts'
import { placesOf } from '../providers/domain-proof/domain-proof.ts'
import { claimDomain, type Domain, giveUpDomain, listClaims, verifyDomain } from './domains.ts'
import { addKycClient, listKycClients, removeKycClient } from './kyc-clients.ts'
import { environments } from './rules.ts'

const tags = ['Partners']

const DomainRecord = Type.Object({
  domain: Type.String({ examples: ['app.example.com'] }),
  environment: oneOf(environments),
  createdAt: DateTime,
  verifiedAt: nullable(DateTime),
  proof: Type.Object(
    {
      dnsName: Type.String({ description: 'A TXT record of this name …' }),
      dnsText: Type.String({ description: '… that says this, or' }),
      url: Type.String({ description: 'a file at this address …' }),
      urlText: Type.String({ description: '… that holds this and nothing else.' }),
    },
    { description: 'Either of the two proves the domain.' },
  ),
})

const domainRecord = ({ domain, environment, proof, createdAt, verifiedAt }: Domain) => ({
  domain,
  environment,
  createdAt: createdAt.toISOString(),
  verifiedAt: verifiedAt?.toISOString() ?? null,
  proof: placesOf(domain, proof),
})

const DomainPath = Type.Object({ domain: Type.String({ pattern: '^[!-~]{1,300}$' }) })

/** The domains whose pages sign users in. */
export function partnerDomainRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/domains',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: "The partner's domains",
        description: '`localhost` needs no registration. A domain counts once it is verified.',
        operationId: 'listDomains',
        response: { 200: Type.Object({ data: Type.Array(DomainRecord) }) },
      },
    },
    async (request) => ({ data: (await listClaims(ctx, requirePartner(request))).map(domainRecord) }),
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
          'As the address bar shows it: `host` or `host:port`, punycode, lower case. A `sandbox` domain works in the sandbox only.',
        operationId: 'claimDomain',
        body: Type.Object({
          domain: Type.String({ maxLength: 300, examples: ['app.example.com'] }),
          environment: oneOf(environments),
        }),
        response: { 201: DomainRecord, ...plainErrors(400, 'DOMAIN_CLAIMED', 'IDEMPOTENCY_KEY_REUSED') },
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
      config: { access: 'partner', permission: 'domains:write' },
      schema: {
        tags,
        summary: 'Have a claimed domain verified',
        description:
          'Looks for the proof now. From then on sign-in messages may name the domain. Repeatable: `Idempotency-Key` is ignored.',
        operationId: 'verifyDomain',
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
        summary: 'Give a domain up',
        description: 'Sign-in messages may not name it any more. Tokens that were issued stay valid until their end.',
        operationId: 'removeDomain',
        params: DomainPath,
        response: { 200: Done, ...plainErrors(400, 'DOMAIN_NOT_FOUND') },
      },
    },
    async (request) => {
      await ctx.db.transaction((tx) => giveUpDomain(ctx, tx, requirePartner(request), request.params.domain))
      return done
    },
  )
}

const ClientId = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  description: 'As the provider of identity verification knows the client.',
  examples: ['example-wallet_1'],
})
const KycClientRecord = Type.Object({ clientId: Type.String(), createdAt: DateTime })

/** The clients that users may share their identity verification with. */
export function kycClientRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/kyc-clients',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: "The partner's KYC clients",
        operationId: 'listKycClients',
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
        description: 'Users may then ask for sharing tokens with it as `forClientId`.',
        operationId: 'addKycClient',
        body: Type.Object({ clientId: ClientId }),
        response: { 201: KycClientRecord, ...plainErrors(400, 'KYC_CLIENT_IN_USE', 'IDEMPOTENCY_KEY_REUSED') },
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
        operationId: 'removeKycClient',
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
