import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { maxTermsLength } from '../../config/partners.ts'
import type { Ctx } from '../../context.ts'
import { requireUser } from '../../platform/http/access.ts'
import { DateTime, Done, done, nullable, plainErrors } from '../../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../../platform/idempotency/idempotency.ts'
import { requireOwner } from '../users/users.ts'
import { acceptTerms, answerSourceOfFunds, listTerms, type TermsState } from './onboarding.ts'
import { questions } from './rules.ts'

const termsFields = {
  type: Type.String({ maxLength: maxTermsLength, examples: ['general'] }),
  version: Type.String({ maxLength: maxTermsLength, examples: ['1'] }),
}
const CurrentTerms = Type.Object({ terms: Type.Array(Type.Object({ ...termsFields, url: Type.String() })) })
const UserTerms = Type.Object(
  {
    terms: Type.Array(
      Type.Object({
        ...termsFields,
        url: Type.String(),
        acceptedAt: nullable(
          Type.Unsafe<string>({ ...DateTime, description: 'null until the user accepts this version.' }),
        ),
      }),
    ),
  },
  { title: 'UserTerms' },
)

function userTerms(terms: readonly TermsState[]) {
  return { terms: terms.map((each) => ({ ...each, acceptedAt: each.acceptedAt?.toISOString() ?? null })) }
}

export function termsRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const tags = ['Terms']

  app.get(
    '/terms',
    {
      config: { access: 'wallet' },
      schema: {
        tags,
        summary: 'List the current terms',
        operationId: 'terms.list',
        response: { 200: CurrentTerms },
      },
    },
    async () => ({ terms: [...ctx.config.terms] }),
  )

  app.get(
    '/user/terms',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'List the current terms, and whether the user accepted them',
        operationId: 'terms.listAccepted',
        response: { 200: UserTerms },
      },
    },
    async (request) => userTerms(await listTerms(ctx, ctx.db, requireUser(request))),
  )

  app.post(
    '/user/terms',
    {
      config: { access: 'user' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Accept terms',
        description: 'Only current versions can be accepted. Accepting a version again has no effect.',
        operationId: 'terms.accept',
        body: Type.Object({ terms: Type.Array(Type.Object(termsFields), { minItems: 1, maxItems: 20 }) }),
        response: { 200: UserTerms, ...plainErrors(400, 'UNKNOWN_TERMS', 'IDEMPOTENCY_KEY_REUSED') },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      const accepted = request.body.terms.map(({ type, version }) => ({ type, version }))
      return respondOnce(ctx, request, reply, caller.userId, async (tx) => ({
        status: 200,
        body: userTerms(await acceptTerms(ctx, tx, caller, accepted)),
      }))
    },
  )
}

/** Routes for the source-of-funds questionnaire. */
export function sourceOfFundsRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const tags = ['Source of Funds']

  app.get(
    '/source-of-funds',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Get the source-of-funds questionnaire',
        operationId: 'sourceOfFunds.get',
        response: {
          200: Type.Object({
            data: Type.Array(Type.Object({ question: Type.String(), answers: Type.Array(Type.String()) })),
          }),
        },
      },
    },
    async (request) => {
      await requireOwner(ctx.db, requireUser(request))
      return { data: questions.map(({ question, answers }) => ({ question, answers: [...answers] })) }
    },
  )

  app.post(
    '/source-of-funds',
    {
      config: { access: 'user' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Answer the source-of-funds questionnaire',
        description: 'Answer every question exactly once. The answers replace earlier ones.',
        operationId: 'sourceOfFunds.answer',
        body: Type.Object({
          answers: Type.Array(Type.Object({ question: Type.String(), answer: Type.String() }), {
            maxItems: 50,
            examples: [questions.map(({ question, answers: [answer] }) => ({ question, answer }))],
          }),
        }),
        response: { 200: Done, ...plainErrors(400, 'INVALID_SOURCE_OF_FUNDS', 'IDEMPOTENCY_KEY_REUSED') },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      return respondOnce(ctx, request, reply, caller.userId, async (tx) => {
        await answerSourceOfFunds(ctx, tx, caller, request.body.answers)
        return { status: 200, body: done }
      })
    },
  )
}
