import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { readAddress } from '../lib/address.ts'
import { requireCaller, requirePartner } from '../platform/http/access.ts'
import {
  Address,
  DateTime,
  Done,
  done,
  exampleAddress,
  nullable,
  oneOf,
  plainErrors,
  Uuid,
} from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../platform/idempotency/idempotency.ts'
import {
  acceptInvitation,
  declineInvitation,
  type Invitation,
  invite,
  listInvitations,
  listReceivedInvitations,
  type ReceivedInvitation,
  revokeInvitation,
} from './invitations.ts'
import { roles } from './rules.ts'
import { MemberRecord, memberRecord } from './schemas.ts'

const tags = ['Partners']

const ChainId = Type.String({
  pattern: '^[1-9][0-9]{0,14}$',
  description: 'Chain of a contract wallet. A contract on another chain cannot accept.',
})
const InvitationRecord = Type.Object(
  {
    invitationId: Uuid,
    address: Address,
    role: oneOf(roles),
    chainId: nullable(ChainId),
    invitedBy: Type.String({
      description: 'The member that sent the invitation, as in the audit log.',
      examples: ['wallet:0xcB444e90D8198415266c6a2724b7900fb12FC56E'],
    }),
    createdAt: DateTime,
    expiresAt: DateTime,
  },
  { title: 'Invitation' },
)
const ReceivedRecord = Type.Object({
  invitationId: Uuid,
  partnerId: Uuid,
  partnerName: Type.String({ description: 'The name that the partner chose for itself.' }),
  role: oneOf(roles),
  createdAt: DateTime,
  expiresAt: DateTime,
})
const InvitationPath = Type.Object({ invitationId: Uuid })

const invitationRecord = ({ invitationId, address, role, contractChainId, invitedBy, ...times }: Invitation) => ({
  ...{ invitationId, address, role, chainId: contractChainId, invitedBy },
  createdAt: times.createdAt.toISOString(),
  expiresAt: times.expiresAt.toISOString(),
})
const receivedRecord = ({ invitationId, partnerId, partnerName, role, ...times }: ReceivedInvitation) => ({
  ...{ invitationId, partnerId, partnerName, role },
  createdAt: times.createdAt.toISOString(),
  expiresAt: times.expiresAt.toISOString(),
})

/** Routes with which a partner invites wallets. */
export function invitationRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/invitations',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: 'List open invitations',
        operationId: 'partner.invitations.list',
        response: { 200: Type.Object({ data: Type.Array(InvitationRecord) }) },
      },
    },
    async (request) => ({ data: (await listInvitations(ctx, requirePartner(request))).map(invitationRecord) }),
  )

  app.post(
    '/partner/invitations',
    {
      config: { access: 'partner', permission: 'members:write' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Invite a wallet as a member',
        description:
          'The wallet becomes a member once it accepts with an access token of its own (`POST /invitations/{invitationId}/accept`). An invitation is open for 7 days. A new one for the same wallet replaces it.',
        operationId: 'partner.invitations.create',
        body: Type.Object(
          { address: Address, role: oneOf(roles), chainId: Type.Optional(ChainId) },
          { examples: [{ address: exampleAddress, role: 'developer' }] },
        ),
        response: {
          201: InvitationRecord,
          ...plainErrors(400, 'ALREADY_A_MEMBER', 'INVITATION_LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requirePartner(request)
      const { role, chainId: contractChainId = null } = request.body
      const wanted = { address: readAddress(request.body.address, 'body/address'), role, contractChainId }
      return respondOnce(ctx, request, reply, caller.partnerId, async (tx) => ({
        status: 201,
        body: invitationRecord(await invite(ctx, tx, caller, wanted)),
      }))
    },
  )

  app.delete(
    '/partner/invitations/:invitationId',
    {
      config: { access: 'partner', permission: 'members:write' },
      schema: {
        tags,
        summary: 'Revoke an invitation',
        operationId: 'partner.invitations.revoke',
        params: InvitationPath,
        response: { 200: Done, ...plainErrors(400, 'INVITATION_NOT_FOUND') },
      },
    },
    async (request) => {
      const { invitationId } = request.params
      await ctx.db.transaction((tx) => revokeInvitation(ctx, tx, requirePartner(request), invitationId))
      return done
    },
  )
}

/** Routes with which an invited wallet decides. */
export function receivedInvitationRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/invitations',
    {
      config: { access: 'wallet' },
      schema: {
        tags,
        summary: 'List the invitations of the signed-in wallet',
        description: 'Returns the newest 100 open invitations.',
        operationId: 'invitations.list',
        response: { 200: Type.Object({ data: Type.Array(ReceivedRecord) }) },
      },
    },
    async (request) => ({ data: (await listReceivedInvitations(ctx, requireCaller(request))).map(receivedRecord) }),
  )

  app.post(
    '/invitations/:invitationId/accept',
    {
      config: { access: 'wallet' },
      schema: {
        tags,
        summary: 'Accept an invitation',
        description:
          'The signed-in wallet becomes a member of the partner. A wallet can be a member of only one partner. `Idempotency-Key` is ignored.',
        operationId: 'invitations.accept',
        params: InvitationPath,
        response: {
          200: Type.Object({ partnerId: Uuid, ...MemberRecord.properties }),
          ...plainErrors(400, 'INVITATION_NOT_FOUND', 'ALREADY_A_MEMBER'),
        },
      },
    },
    async (request) => {
      const wallet = requireCaller(request)
      const { invitationId } = request.params
      const member = await ctx.db.transaction((tx) => acceptInvitation(ctx, tx, wallet, invitationId))
      return { partnerId: member.partnerId, ...memberRecord(member) }
    },
  )

  app.post(
    '/invitations/:invitationId/decline',
    {
      config: { access: 'wallet' },
      schema: {
        tags,
        summary: 'Decline an invitation',
        description: 'Ends the invitation. `Idempotency-Key` is ignored.',
        operationId: 'invitations.decline',
        params: InvitationPath,
        response: { 200: Done, ...plainErrors(400, 'INVITATION_NOT_FOUND') },
      },
    },
    async (request) => {
      const wallet = requireCaller(request)
      await ctx.db.transaction((tx) => declineInvitation(ctx, tx, wallet, request.params.invitationId))
      return done
    },
  )
}
