import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { kycStatuses } from '../../lib/kyc-status.ts'
import { accountStatuses } from '../../lib/user-status.ts'
import { requireCaller, requireUser } from '../../platform/http/access.ts'
import { Address, DateTime, nullable, oneOf, plainErrors, Uuid } from '../../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../../platform/idempotency/idempotency.ts'
import { type Account, loadUser, requireAccount } from '../users/users.ts'
import { openAccount, readOnboarding } from './onboarding.ts'
import { register, sendEmailCode } from './registration.ts'
import { onboardingStatuses } from './rules.ts'

const Email = Type.String({ format: 'email', maxLength: 254, examples: ['ada@example.org'] })

const AccountRecord = Type.Object(
  {
    accountId: Uuid,
    address: Type.Unsafe<string>({ ...Address, description: 'The deposit address.' }),
    currency: Type.String({ examples: ['EUR'] }),
    status: oneOf(accountStatuses),
  },
  { title: 'Account' },
)

const UserRecord = Type.Object(
  {
    userId: Uuid,
    email: nullable(Email),
    firstName: nullable(Type.String()),
    lastName: nullable(Type.String()),
    country: nullable(Type.String({ description: 'ISO 3166-1 alpha-2 code.', examples: ['DE'] })),
    kycStatus: oneOf(kycStatuses),
    account: nullable(AccountRecord),
    createdAt: DateTime,
  },
  { title: 'User' },
)

function accountRecord({ accountId, address, currency, status }: Account) {
  return { accountId, address, currency, status }
}

export function registrationRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/email-verification',
    {
      config: { access: 'wallet', limited: 'code' },
      schema: {
        tags: ['User'],
        summary: 'Send a one-time code to an email address',
        description:
          'The code is valid for 10 minutes and 5 attempts, and only for the signed-in wallet. A new code replaces the previous one. `Idempotency-Key` is ignored.',
        operationId: 'user.sendEmailCode',
        body: Type.Object({ email: Email }),
        response: {
          200: Type.Object({
            success: Type.Literal(true),
            otp: Type.Optional(Type.String({ description: 'The code. Returned only in the sandbox.' })),
          }),
          ...plainErrors(400, 502),
        },
      },
    },
    async (request) => {
      const otp = await sendEmailCode(ctx, requireCaller(request), request.body.email)
      return { success: true as const, ...(otp === null ? {} : { otp }) }
    },
  )

  app.post(
    '/user',
    {
      config: { access: 'wallet' },
      schema: {
        tags: ['User'],
        summary: 'Register the wallet as a user',
        description:
          'Use the returned access token from now on. It names the user, and expires when the current one does. `Idempotency-Key` is ignored.',
        operationId: 'user.create',
        body: Type.Object({
          email: Email,
          otp: Type.String({ description: 'The code sent by email.', examples: ['123456'] }),
          shareToken: Type.Optional(
            Type.String({
              maxLength: 4096,
              description:
                "A partner's share token, which imports a completed identity verification. An invalid token is ignored. In the sandbox, use `sandbox-` and a country code.",
              examples: ['sandbox-DE'],
            }),
          ),
        }),
        response: {
          201: Type.Object({ userId: Uuid, accessToken: Type.String() }),
          ...plainErrors(400, 'WALLET_IN_USE', 'EMAIL_IN_USE', 'INVALID_OTP', 502),
        },
      },
    },
    async (request, reply) => {
      const registered = await register(ctx, requireCaller(request), request.body)
      return reply.code(201).send(registered)
    },
  )
}

export function userRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/user',
    {
      config: { access: 'user' },
      schema: {
        tags: ['User'],
        summary: 'Get the user',
        operationId: 'user.get',
        response: { 200: UserRecord },
      },
    },
    async (request) => {
      const { account, createdAt, ...user } = await loadUser(ctx.db, requireUser(request))
      const { userId, email, firstName, lastName, country, kycStatus } = user
      return {
        userId,
        email,
        firstName,
        lastName,
        country,
        kycStatus,
        account: account === null ? null : accountRecord(account),
        createdAt: createdAt.toISOString(),
      }
    },
  )

  app.get(
    '/user/onboarding',
    {
      config: { access: 'user', limited: 'kyc' },
      schema: {
        tags: ['User'],
        summary: 'Get the next onboarding step',
        operationId: 'user.getOnboarding',
        response: {
          200: Type.Object({
            status: oneOf(onboardingStatuses),
            webSdkUrl: Type.Optional(Type.String({ description: 'The page where the user verifies their identity.' })),
          }),
        },
      },
    },
    async (request) => {
      const { status, webSdkUrl } = await readOnboarding(ctx, requireUser(request))
      return { status, ...(webSdkUrl === null ? {} : { webSdkUrl }) }
    },
  )
}

export function accountRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const tags = ['User Account']
  app.post(
    '/user/account',
    {
      config: { access: 'user' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Open the account',
        description: 'The last step of onboarding. The response is 200 if the account already exists.',
        operationId: 'account.create',
        response: {
          200: AccountRecord,
          201: AccountRecord,
          ...plainErrors(400, 'ONBOARDING_INCOMPLETE', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      return respondOnce(ctx, request, reply, caller.userId, async (tx) => {
        const { account, isNew } = await openAccount(ctx, tx, caller)
        return { status: isNew ? 201 : 200, body: accountRecord(account) }
      })
    },
  )

  app.get(
    '/user/account',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Get the account',
        operationId: 'account.get',
        response: { 200: AccountRecord, ...plainErrors('ACCOUNT_NOT_FOUND') },
      },
    },
    async (request) => accountRecord(await requireAccount(ctx.db, requireUser(request))),
  )
}
