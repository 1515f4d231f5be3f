import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { readAddress } from '../lib/address.ts'
import { permissions } from '../lib/partner-permission.ts'
import { partnerStatuses } from '../lib/partner-status.ts'
import { requireCaller, requirePartner } from '../platform/http/access.ts'
import { Address, DateTime, Done, done, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import {
  changeRole,
  listAudit,
  listMembers,
  listUsers,
  type Partner,
  readPartner,
  removeMember,
  renamePartner,
  signUp,
} from './partners.ts'
import { roles } from './rules.ts'
import {
  ApiKeyRecord,
  AuditEntry,
  AuditQuery,
  apiKeyRecord,
  auditEntry,
  MemberRecord,
  memberRecord,
} from './schemas.ts'

const tags = ['Partners']

const PartnerRecord = Type.Object(
  {
    partnerId: Uuid,
    name: Type.String(),
    status: oneOf(partnerStatuses, {
      description:
        "`pending`: the partner waits for the programme's approval. Its domains, KYC clients and webhooks have an effect only while it is `active`.",
    }),
    createdAt: DateTime,
  },
  { title: 'Partner' },
)
const NamedPartner = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['Example Wallet'] }) },
  { title: 'NamedPartner' },
)
const MemberPath = Type.Object({ address: Address })

const AfterUser = Type.String({ format: 'uuid', description: 'Returns the users after this user id.' })
const Limit = Type.Integer({ minimum: 1, maximum: 1000, default: 100 })
const Order = oneOf(['oldest', 'newest'], { default: 'oldest', description: 'The entries that come first.' })
const HasNext = Type.Object({ hasNext: Type.Boolean() })

const partnerRecord = ({ partnerId, name, status, createdAt }: Partner) => ({
  partnerId,
  name,
  status,
  createdAt: createdAt.toISOString(),
})

/** Routes for the partner itself: sign-up, users, audit log. */
export function partnerRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/partner',
    {
      config: { access: 'wallet', limited: 'partner' },
      schema: {
        tags,
        summary: 'Sign up as a partner',
        description:
          'The signed-in wallet becomes the owner of the new partner. A wallet can be a member of only one partner. Outside the sandbox, a new partner usually waits for the approval of an operator. `Idempotency-Key` is ignored.',
        operationId: 'partner.create',
        body: NamedPartner,
        response: { 201: PartnerRecord, ...plainErrors(400, 'ALREADY_A_MEMBER') },
      },
    },
    async (request, reply) => {
      const wallet = requireCaller(request)
      const made = await ctx.db.transaction((tx) => signUp(ctx, tx, wallet, request.body.name.trim()))
      return reply.code(201).send(partnerRecord(made))
    },
  )

  app.get(
    '/partner',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: "Get the partner and the caller's permissions",
        operationId: 'partner.get',
        response: {
          200: Type.Object({ ...PartnerRecord.properties, permissions: Type.Array(oneOf(permissions)) }),
        },
      },
    },
    async (request) => {
      const caller = requirePartner(request)
      return { ...partnerRecord(await readPartner(ctx, caller)), permissions: [...caller.permissions] }
    },
  )

  app.patch(
    '/partner',
    {
      config: { access: 'partner', permission: 'members:write' },
      schema: {
        tags,
        summary: 'Rename the partner',
        operationId: 'partner.rename',
        body: NamedPartner,
        response: { 200: PartnerRecord, ...plainErrors(400) },
      },
    },
    async (request) => {
      const name = request.body.name.trim()
      return partnerRecord(await ctx.db.transaction((tx) => renamePartner(ctx, tx, requirePartner(request), name)))
    },
  )

  app.get(
    '/partner/users',
    {
      config: { access: 'partner', permission: 'users:read' },
      schema: {
        tags,
        summary: "List the partner's users",
        description: "A user belongs to the partner at whose domain the user's wallet signed in to register.",
        operationId: 'partner.users.list',
        querystring: Type.Object({
          limit: Type.Optional(Limit),
          after: Type.Optional(AfterUser),
          order: Type.Optional(Order),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(Type.Object({ userId: Uuid, createdAt: DateTime })),
            pagination: HasNext,
          }),
          ...plainErrors(400),
        },
      },
    },
    async (request) => {
      const { limit = 100, after, order = 'oldest' } = request.query
      const { rows, hasNext } = await listUsers(ctx, requirePartner(request), { limit, after, order })
      const data = rows.map(({ userId, createdAt }) => ({ userId, createdAt: createdAt.toISOString() }))
      return { data, pagination: { hasNext } }
    },
  )

  app.get(
    '/partner/audit',
    {
      config: { access: 'partner', permission: 'audit:read' },
      schema: {
        tags,
        summary: 'List the audit log',
        description:
          'Contains every change to the partner, and every read of details of its users. Entries are numbered without gaps and never modified.',
        operationId: 'partner.audit.list',
        querystring: Type.Object({
          limit: Type.Optional(Limit),
          after: Type.Optional(
            Type.String({ pattern: '^[0-9]{1,18}$', description: 'Returns the entries that follow this `seq`.' }),
          ),
          order: Type.Optional(Order),
          ...AuditQuery.properties,
        }),
        response: {
          200: Type.Object({ data: Type.Array(AuditEntry), pagination: HasNext }),
          ...plainErrors(400),
        },
      },
    },
    async (request) => {
      const { limit = 100, after, order = 'oldest', action = null, actor = null, subject = null } = request.query
      const query = { limit, after, order, action, actor, subject }
      const { rows, hasNext } = await listAudit(ctx, requirePartner(request), query)
      return { data: rows.map(auditEntry), pagination: { hasNext } }
    },
  )
}

/** Routes for the members of a partner. */
export function memberRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/members',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: 'List members',
        operationId: 'partner.members.list',
        response: { 200: Type.Object({ data: Type.Array(MemberRecord) }) },
      },
    },
    async (request) => ({ data: (await listMembers(ctx, requirePartner(request))).map(memberRecord) }),
  )

  app.patch(
    '/partner/members/:address',
    {
      config: { access: 'partner', permission: 'members:write' },
      schema: {
        tags,
        summary: 'Change the role of a member',
        description:
          'A demotion revokes the API keys that the member created and whose scopes exceed the new role. If an owner is demoted, the invitations that the member sent also end.',
        operationId: 'partner.members.update',
        params: MemberPath,
        body: Type.Object({ role: oneOf(roles) }),
        response: { 200: MemberRecord, ...plainErrors(400, 'MEMBER_NOT_FOUND', 'LAST_OWNER') },
      },
    },
    async (request) => {
      const address = readAddress(request.params.address, 'params/address')
      const { role } = request.body
      return memberRecord(await ctx.db.transaction((tx) => changeRole(ctx, tx, requirePartner(request), address, role)))
    },
  )

  app.delete(
    '/partner/members/:address',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: 'Remove a member, or leave',
        description:
          'Takes effect from the next request on. Any member may leave. Only an owner may remove others. The API keys that the member created are revoked, and the invitations that it sent end.',
        operationId: 'partner.members.remove',
        params: MemberPath,
        querystring: Type.Object({
          keepKeys: Type.Optional(
            oneOf(['true', 'false'], {
              default: 'false',
              description: "`true` keeps the member's API keys. Only an owner may keep them.",
            }),
          ),
        }),
        response: {
          200: Type.Object({
            ...Done.properties,
            apiKeys: Type.Array(ApiKeyRecord, {
              description: 'The valid API keys that the member had created, now revoked unless `keepKeys` is `true`.',
            }),
          }),
          ...plainErrors(400, 'MEMBER_NOT_FOUND', 'LAST_OWNER'),
        },
      },
    },
    async (request) => {
      const address = readAddress(request.params.address, 'params/address')
      const keepKeys = request.query.keepKeys === 'true'
      const keys = await ctx.db.transaction((tx) => removeMember(ctx, tx, requirePartner(request), address, keepKeys))
      return { ...done, apiKeys: keys.map(apiKeyRecord) }
    },
  )
}
