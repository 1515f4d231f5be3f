import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { findUser } from '../identity/users/users.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { toErrorResponse } from '../platform/http/errors.ts'
import { languageOf, sendPage, servePages } from '../platform/http/pages.ts'
import { kycDecisions, kycErrorPage, kycPage } from './kyc-page.ts'
import { controlsOf } from './sandbox.ts'
import { changeUser } from './users.ts'

const path = '/sandbox/kyc/:userId/:key'
const maxBodyBytes = 1024

type Params = { readonly userId: string; readonly key: string }

/**
 * The page behind the sandbox's `webSdkUrl`. A user opens it without the password of the simulator, so the key in the
 * URL authorizes it. Any page may embed it, as apps embed the page of a real provider.
 */
export function sandboxKycRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.register(async (scope) => {
    servePages(scope)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxBodyBytes },
      async (_request: FastifyRequest, body: string) => new URLSearchParams(body).get('decision'),
    )
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      const { status, message } = toErrorResponse(error, request)
      return sendPage(reply.code(status), kycErrorPage(languageOf(request), message))
    })

    scope.get<{ Params: Params }>(
      path,
      { config: { access: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        const user = await findUser(ctx.db, userOf(ctx, request.params))
        return sendPage(reply, kycPage(languageOf(request), user.userId, user.kycStatus))
      },
    )

    scope.post<{ Params: Params }>(
      path,
      { config: { access: 'public' }, schema: { hide: true } },
      async (request, reply) => {
        const decision = kycDecisions.find((each) => each === request.body)
        if (decision === undefined) throw new InvalidInput(`The decision must be one of ${kycDecisions.join(', ')}.`)
        const userId = userOf(ctx, request.params)
        await ctx.db.transaction((tx) => changeUser(ctx, tx, userId, { kyc: decision }))
        // A redirect, so that a reload of the page repeats no decision.
        return reply.redirect(request.url, 303)
      },
    )
  })
}

/** Returns the user of a page's URL. A wrong key gets the response of an unknown user. */
function userOf(ctx: Ctx, { userId, key }: Params): string {
  if (!controlsOf(ctx).kyc.isPageKey(userId, key)) throw new Refusal('USER_NOT_FOUND')
  return userId
}
