import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { listCardsOf } from '../cards/cards/cards.ts'
import { CardRecord, cardRecord } from '../cards/cards/records.ts'
import { maskCardName } from '../cards/cards/rules.ts'
import type { Ctx } from '../context.ts'
import { findUser } from '../identity/users/users.ts'
import { kycStatuses } from '../lib/kyc-status.ts'
import { accountStatuses } from '../lib/user-status.ts'
import { pageRequestOf, StatementPage, StatementQuery } from '../money/statement/query.ts'
import { readStatementOf } from '../money/statement/statement.ts'
import { requirePartnerUser } from '../partners/partners.ts'
import { recordRead } from '../partners/reads.ts'
import { deriveKeys } from '../platform/crypto/derive-key.ts'
import { sendBytes } from '../platform/db/hot-reads/send-bytes.ts'
import { requirePartner } from '../platform/http/access.ts'
import { jsonType } from '../platform/http/json.ts'
import { DateTime, nullable, oneOf, plainErrors, ref, Uuid } from '../platform/http/schemas.ts'

const UserPath = Type.Object({ userId: Uuid })
const needsGrant =
  "Needs the permission `users:details`, which has an effect only if the programme grants it to the partner. The partner's audit log records who read the details of which user, and when."

/**
 * Routes with which a partner reads one of its users. They show no name, postal address, email address or phone number
 * of the user, and only the first character of the names of cards.
 */
export function partnerUserRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const cursorKeys = deriveKeys(ctx.config.secrets, 'statement cursor of a partner')
  const config = { access: 'partner', permission: 'users:details' } as const

  app.get(
    '/partner/users/:userId',
    {
      config,
      schema: {
        tags: ['Partners'],
        summary: 'Get a user and their cards',
        description: `Shows only the first character of each \`cardName\`. ${needsGrant}`,
        operationId: 'partner.users.get',
        params: UserPath,
        response: {
          200: Type.Object(
            {
              userId: Uuid,
              createdAt: DateTime,
              kyc: oneOf(kycStatuses),
              accountStatus: nullable(oneOf(accountStatuses)),
              currency: nullable(Type.String({ examples: ['EUR'] })),
              cards: Type.Array(ref(CardRecord)),
            },
            { title: 'PartnerUserDetails' },
          ),
          ...plainErrors(400, 'USER_NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const userId = request.params.userId.toLowerCase()
      const partner = requirePartner(request)
      await requirePartnerUser(ctx.db, partner, userId)
      const { createdAt, kycStatus: kyc, account } = await findUser(ctx.db, userId)
      const cards = (await listCardsOf(ctx.db, userId)).map((card) => cardRecord(maskCardName(card)))
      const known = { accountStatus: account?.status ?? null, currency: account?.currency ?? null }
      await recordRead(ctx, partner, { action: 'user.details-read', subject: userId })
      return { userId, createdAt: createdAt.toISOString(), kyc, ...known, cards }
    },
  )

  app.get(
    '/partner/users/:userId/statement',
    {
      config,
      schema: {
        tags: ['Partners'],
        summary: 'List the statement of a user',
        description: `Has the items, filters and cursors of \`GET /user/statement\`. ${needsGrant}`,
        operationId: 'partner.users.statement',
        params: UserPath,
        querystring: StatementQuery,
        response: {
          200: ref(StatementPage),
          ...plainErrors(400, 'USER_NOT_FOUND', 'INVALID_CURSOR', 'CURSOR_MISMATCH', 'INVALID_DATE_RANGE'),
        },
      },
    },
    async (request, reply) => {
      const userId = request.params.userId.toLowerCase()
      const partner = requirePartner(request)
      const page = await readStatementOf(ctx, cursorKeys, partner, userId, pageRequestOf(request.query))
      await recordRead(ctx, partner, { action: 'user.statement-read', subject: userId })
      return sendBytes(reply.header('content-type', jsonType), page)
    },
  )
}
