import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { readAddress } from '../lib/address.ts'
import { isCountry } from '../lib/countries.ts'
import { InvalidInput } from '../lib/errors.ts'
import { kycStatuses } from '../lib/kyc-status.ts'
import { accountStatuses } from '../lib/user-status.ts'
import { Address, exampleAddress, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce, sandboxScope } from '../platform/idempotency/idempotency.ts'
import { changeUser, createOnboardedUser } from './users.ts'

const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166 alpha-2', examples: ['DE'] })

function checkCountry(country: string | undefined): void {
  if (country !== undefined && !isCountry(country))
    throw new InvalidInput('body/country must be an ISO 3166 country code')
}

export function sandboxUserRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/sandbox/users',
    {
      config: { access: 'sandbox' },
      schema: {
        headers: KeyHeader,
        tags: ['Sandbox'],
        summary: 'Create a fully onboarded user',
        description:
          "The account's currency follows the country: GBP for GB, USD for US and BR, else EUR. Without a token in that currency, it is that of the first token.",
        operationId: 'sandbox.users.create',
        body: Type.Object(
          {
            address: Address,
            email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
            country: Type.Optional(Type.Unsafe<string>({ ...Country, default: 'DE' })),
            kyc: Type.Optional(oneOf(['approved'])),
            partnerId: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'The partner of the user.' })),
          },
          { examples: [{ address: exampleAddress, country: 'DE' }] },
        ),
        response: {
          201: Type.Object({ userId: Uuid, accountAddress: Address }),
          ...plainErrors(400, 'PARTNER_NOT_FOUND', 'WALLET_IN_USE', 'EMAIL_IN_USE', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const { address, email = null, country, partnerId } = request.body
      checkCountry(country)
      const wanted = { address: readAddress(address, 'body/address'), email, country, partnerId }
      return respondOnce(ctx, request, reply, sandboxScope, async (tx) => {
        const account = await createOnboardedUser(ctx, tx, wanted)
        return { status: 201, body: { userId: account.userId, accountAddress: account.address } }
      })
    },
  )

  app.patch(
    '/sandbox/users/:userId',
    {
      config: { access: 'sandbox' },
      schema: {
        tags: ['Sandbox'],
        summary: 'Change the identity verification, account status or country of a user',
        description: "A closed account stays closed. A new country does not change the account's currency.",
        operationId: 'sandbox.users.update',
        params: Type.Object({ userId: Uuid }),
        body: Type.Object(
          {
            kyc: Type.Optional(oneOf(kycStatuses)),
            accountStatus: Type.Optional(oneOf(accountStatuses)),
            country: Type.Optional(Country),
          },
          { examples: [{ accountStatus: 'blocked' }] },
        ),
        response: {
          200: Type.Object({
            userId: Uuid,
            kyc: oneOf(kycStatuses),
            accountStatus: nullable(oneOf(accountStatuses)),
            country: nullable(Country),
          }),
          ...plainErrors(400, 'USER_NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'INVALID_ACCOUNT_STATUS'),
        },
      },
    },
    async (request) => {
      checkCountry(request.body.country)
      const user = await ctx.db.transaction((tx) => changeUser(ctx, tx, request.params.userId, request.body))
      const { userId, kycStatus: kyc, account, country } = user
      return { userId, kyc, accountStatus: account?.status ?? null, country }
    },
  )
}
