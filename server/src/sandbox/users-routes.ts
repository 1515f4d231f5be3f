import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { cardStatuses } from '../cards/cards/rules.ts'
import type { Ctx } from '../context.ts'
import { readAddress } from '../lib/address.ts'
import { isCountry } from '../lib/countries.ts'
import { InvalidInput } from '../lib/errors.ts'
import { kycStatuses } from '../lib/kyc-status.ts'
import { accountStatuses } from '../lib/user-status.ts'
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
import { KeyHeader, respondOnce, sandboxScope } from '../platform/idempotency/idempotency.ts'
import { resetSandbox } from './reset.ts'
import { changeUser, createOnboardedUser, listSandboxUsers, type SandboxUser } from './users.ts'

const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166 alpha-2', examples: ['DE'] })

function checkCountry(country: string | undefined): void {
  if (country !== undefined && !isCountry(country))
    throw new InvalidInput('body/country must be an ISO 3166 country code')
}

const UserRecord = Type.Object(
  {
    userId: Uuid,
    createdAt: DateTime,
    owners: Type.Array(Address),
    partnerId: nullable(Uuid),
    country: nullable(Country),
    kyc: oneOf(kycStatuses),
    accountStatus: nullable(oneOf(accountStatuses)),
    accountAddress: nullable(Address),
    currency: nullable(Type.String({ examples: ['EUR'] })),
    cards: Type.Array(
      Type.Object({
        cardId: Uuid,
        cardName: Type.String(),
        status: oneOf(cardStatuses),
        last4: nullable(Type.String()),
      }),
    ),
  },
  { title: 'SandboxUser' },
)

function userRecord({ user, owners, cards }: SandboxUser) {
  const { userId, createdAt, partnerId, country, kycStatus: kyc, account } = user
  return {
    ...{ userId, partnerId, country, kyc, createdAt: createdAt.toISOString() },
    owners: owners.map(({ address }) => address),
    accountStatus: account?.status ?? null,
    accountAddress: account?.address ?? null,
    currency: account?.currency ?? null,
    cards: cards.map(({ cardId, name: cardName, status, last4 }) => ({ cardId, cardName, status, last4 })),
  }
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
          "The account's currency follows the country: GBP for GB, USD for US and BR, else EUR. If no token has that currency, the account has the currency of the first token.",
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

  app.get(
    '/sandbox/users',
    {
      config: { access: 'sandbox' },
      schema: {
        tags: ['Sandbox'],
        summary: 'List users with their cards, newest first',
        operationId: 'sandbox.users.list',
        querystring: Type.Object({
          before: Type.Optional(
            Type.Unsafe<string>({ ...Uuid, description: 'Returns the users that are older than this one.' }),
          ),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(UserRecord),
            pagination: Type.Object({ hasNext: Type.Boolean() }),
          }),
          ...plainErrors(400),
        },
      },
    },
    async (request) => {
      const { before = null, limit = 20 } = request.query
      const { users, hasNext } = await listSandboxUsers(ctx, { before, limit })
      return { data: users.map(userRecord), pagination: { hasNext } }
    },
  )

  app.post(
    '/sandbox/reset',
    {
      config: { access: 'sandbox' },
      schema: {
        tags: ['Sandbox'],
        summary: 'Delete all users, partners and their data',
        description:
          'Also deletes operators and their decisions, and resumes stopped payouts and card approvals. Keeps only the clock, the keys of the service and the blocks of an attached chain. All access tokens become invalid. `Idempotency-Key` is ignored.',
        operationId: 'sandbox.reset',
        body: Type.Object({ confirm: Type.Literal('reset') }),
        response: { 200: Done, ...plainErrors(400, 'NOT_A_SANDBOX') },
      },
    },
    async () => {
      await resetSandbox(ctx)
      return done
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
