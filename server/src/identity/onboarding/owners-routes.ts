import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { readAddress } from '../../lib/address.ts'
import { requireUser } from '../../platform/http/access.ts'
import {
  Address,
  DateTime,
  Done,
  done,
  OwnerApproval,
  plainErrors,
  signedMessage,
} from '../../platform/http/schemas.ts'
import { KeyHeader, respondOnceWithLease } from '../../platform/idempotency/idempotency.ts'
import { reportSecurity } from '../../platform/observability/security-events.ts'
import { clearOwners } from '../auth/sessions.ts'
import { listOwners, removeOwner } from '../users/users.ts'
import { addProvenOwner, approveRemoval } from './owners.ts'

const tags = ['User']

export function ownerRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/user/owners',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: "List the user's owners, oldest first",
        description: 'An owner is a wallet that may sign in for the user.',
        operationId: 'owners.list',
        response: {
          200: Type.Object({ data: Type.Array(Type.Object({ address: Address, createdAt: DateTime })) }),
        },
      },
    },
    async (request) => {
      const owners = await listOwners(ctx.db, requireUser(request))
      return { data: owners.map(({ address, createdAt }) => ({ address, createdAt: createdAt.toISOString() })) }
    },
  )

  app.post(
    '/user/owners',
    {
      config: { access: 'user', limited: 'proof' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Add an owner',
        description:
          'Lets another wallet sign in for the user. The new wallet signs an EIP-4361 message with its own nonce and the statement `Add this wallet as an owner of user <userId>.` An owner signs a second message with another nonce and the statement `Add wallet <address> as an owner of user <userId>.` The response is 200 if the wallet is already an owner.',
        operationId: 'owners.add',
        body: Type.Object({
          ...signedMessage('the new wallet').properties,
          approval: OwnerApproval,
        }),
        response: {
          200: Type.Object({ address: Address }),
          201: Type.Object({ address: Address }),
          ...plainErrors(
            400,
            'WALLET_IN_USE',
            'REQUEST_IN_PROGRESS',
            'WALLET_NOT_PROVEN',
            'OWNER_NOT_APPROVED',
            'OWNER_LIMIT_REACHED',
            'IDEMPOTENCY_KEY_REUSED',
            502,
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      return respondOnceWithLease(ctx, request, reply, caller.userId, async () => {
        const { address, isNew } = await addProvenOwner(ctx, caller, request.body)
        if (isNew) reportOwnerChange(ctx, request, 'added', address)
        return { status: isNew ? 201 : 200, body: { address } }
      })
    },
  )

  app.post(
    '/user/owners/:address/remove',
    {
      config: { access: 'user', limited: 'proof' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Remove an owner',
        description:
          'Any owner signs an EIP-4361 message with its own nonce and the statement `Remove wallet <address> as an owner of user <userId>.` The access tokens of the removed wallet are rejected from the next request on. Withdrawals to the removed wallet fail, unless their payout is already signed. The last owner cannot be removed.',
        operationId: 'owners.remove',
        params: Type.Object({ address: Address }),
        body: Type.Object({ approval: OwnerApproval }),
        response: {
          200: Done,
          ...plainErrors(
            400,
            'OWNER_NOT_FOUND',
            'REQUEST_IN_PROGRESS',
            'OWNER_NOT_APPROVED',
            'LAST_WALLET',
            'IDEMPOTENCY_KEY_REUSED',
            502,
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      const address = readAddress(request.params.address, 'params/address')
      return respondOnceWithLease(ctx, request, reply, caller.userId, async () => {
        await approveRemoval(ctx, caller, address, request.body.approval)
        await ctx.db.transaction(async (tx) => {
          await clearOwners(tx, [await removeOwner(tx, caller, address)], ctx.clock.now())
        })
        reportOwnerChange(ctx, request, 'removed', address)
        return { status: 200, body: done }
      })
    },
  )
}

function reportOwnerChange(ctx: Ctx, request: FastifyRequest, change: 'added' | 'removed', owner: string): void {
  const { userId, signerAddress } = requireUser(request)
  reportSecurity(ctx, 'owner_changed', change, { reqId: request.id, userId, wallet: signerAddress, owner })
}
