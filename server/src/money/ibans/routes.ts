import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { requireOwner } from '../../identity/users/users.ts'
import { requireUser } from '../../platform/http/access.ts'
import { declareErrorPrefix } from '../../platform/http/errors.ts'
import { Address, messageErrors, nullable, oneOf } from '../../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../../platform/idempotency/idempotency.ts'
import { ibanSigningMessage } from '../../providers/iban/iban.ts'
import { activateIban, isIbanAvailable, readIban } from './ibans.ts'
import { wireStatuses } from './rules.ts'

export function ibanRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  declareErrorPrefix(app, '/api/v1/ibans/', 'kyc-iban')

  app.get(
    '/api/v1/ibans/available',
    {
      config: { access: 'user', server: 'api', errors: 'kyc-iban' },
      schema: {
        tags: ['IBAN'],
        summary: 'Check whether the user is eligible for an IBAN',
        operationId: 'ibans.getAvailability',
        response: {
          200: Type.Object({ data: Type.Object({ available: Type.Boolean() }) }),
        },
      },
    },
    async (request) => ({ data: { available: await isIbanAvailable(ctx, requireUser(request)) } }),
  )

  app.get(
    '/api/v1/ibans/signing-message',
    {
      config: { access: 'user', server: 'api', errors: 'kyc-iban' },
      schema: {
        tags: ['IBAN'],
        summary: 'Get the message to sign for an IBAN',
        operationId: 'ibans.getSigningMessage',
        response: {
          200: Type.Object({ data: Type.Object({ message: Type.String({ examples: [ibanSigningMessage] }) }) }),
        },
      },
    },
    async (request) => {
      await requireOwner(ctx.db, requireUser(request))
      return { data: { message: ibanSigningMessage } }
    },
  )
}

export function ibanActivationRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/api/v1/ibans/monerium-profile',
    {
      config: { access: 'user', server: 'api', errors: 'kyc-iban' },
      schema: {
        headers: KeyHeader,
        tags: ['IBAN'],
        summary: 'Request an IBAN',
        description:
          'Euros that arrive at the IBAN are minted to the signed-in wallet. The IBAN is assigned later; poll `GET /api/v1/ibans/details`. The request also succeeds if the user already has an IBAN or has requested one.',
        operationId: 'ibans.activate',
        body: Type.Object({
          signature: Type.String({
            pattern: '^0x(?:[0-9a-fA-F]{2})*$',
            maxLength: 8194,
            description: 'Signature of the signing message by the signed-in wallet.',
          }),
        }),
        response: {
          200: Type.Object({ data: Type.Object({ success: Type.Literal(true) }) }),
          ...messageErrors(400, 'IBAN_NOT_AVAILABLE', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      return respondOnce(ctx, request, reply, caller.userId, async (tx) => {
        await activateIban(ctx, tx, caller, request.body.signature)
        return { status: 200, body: { data: { success: true } } }
      })
    },
  )

  app.get(
    '/api/v1/ibans/details',
    {
      config: { access: 'user', server: 'api', errors: 'kyc-iban' },
      schema: {
        tags: ['IBAN'],
        summary: 'Get the IBAN and its status',
        operationId: 'ibans.get',
        response: {
          200: Type.Object({
            data: Type.Object({
              iban: nullable(Type.String({ examples: ['IS140159260076545510730339'] })),
              bic: nullable(Type.String()),
              ibanStatus: oneOf([...new Set(Object.values(wireStatuses))]),
              address: nullable(
                Type.Unsafe<string>({ ...Address, description: 'The wallet that receives the euros.' }),
              ),
            }),
          }),
        },
      },
    },
    async (request) => ({ data: await readIban(ctx, requireUser(request)) }),
  )
}
