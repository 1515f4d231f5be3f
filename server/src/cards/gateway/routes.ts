import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { parseJson } from '../../platform/http/json.ts'
import { plainErrors, ref } from '../../platform/http/schemas.ts'
import { keepBytes } from '../../platform/http/signed-body.ts'
import { describeProblem } from '../../platform/http/validation.ts'
import { decideMessage, type Line, takeCardEvent, takeFile, takeMessage } from './gateway.ts'
import {
  AdviceMessage,
  AuthorizationMessage,
  CardEvent,
  CardEventAnswer,
  ClearingMessage,
  FileAnswer,
  MessageAnswer,
  RefundMessage,
  ReversalMessage,
} from './schemas.ts'

const tags = ['Issuer']
const messageRefusals = [
  'CARD_NOT_FOUND',
  'AUTHORIZATION_NOT_FOUND',
  'EVENT_ID_REUSED',
  'AUTHORIZATION_CODE_USED',
  'BILLING_AMOUNT_NEEDED',
  'CURRENCY_NOT_SUPPORTED',
] as const
const answered = { description: 'The answer, the same for a repeated event.', schema: ref(MessageAnswer) }
const response = {
  200: { description: answered.description, content: { 'application/json': { schema: answered.schema } } },
  ...plainErrors(400, ...messageRefusals),
}

const clearingsPath = '/issuer/v1/clearings'
const largestFileBytes = 1024 * 1024
const mostLines = 1000

export function issuerGatewayRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.register(async (scope) => {
    keepBytes(scope, 'application/x-ndjson')
    decisionRoute(scope, ctx)
    noticeRoutes(scope, ctx)
    clearingRoute(scope, ctx)
    cardEventRoute(scope, ctx)
  })
}

function decisionRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.post(
    '/issuer/v1/authorizations',
    {
      config: { access: 'issuer' },
      schema: {
        tags,
        summary: 'Ask for a decision',
        description:
          'Authorizations, increments, replacements, single messages and, with the amount 0, checks of the card. A decision that is not made in time is declined with `TMO`, and nothing is held.',
        operationId: 'issuerDecideAuthorization',
        body: ref(AuthorizationMessage),
        response,
      },
    },
    async (request, reply) => decideMessage(ctx, request.body, performance.now() - reply.elapsedTime),
  )
}

const notices = [
  {
    path: 'advices',
    schema: AdviceMessage,
    summary: 'Tell of an approval that the network gave in our place',
    operationId: 'issuerSendAdvice',
  },
  {
    path: 'reversals',
    schema: ReversalMessage,
    summary: 'Take an authorization back, wholly or in part',
    operationId: 'issuerSendReversal',
  },
  {
    path: 'refunds',
    schema: RefundMessage,
    summary: 'Give money back, or take a refund back',
    operationId: 'issuerSendRefund',
  },
] as const

function noticeRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  for (const { path, schema, summary, operationId } of notices) {
    app.post(
      `/issuer/v1/${path}`,
      { config: { access: 'issuer' }, schema: { tags, summary, operationId, body: ref(schema), response } },
      async (request) => takeMessage(ctx, request.body),
    )
  }
}

/** Judged line by line in the handler, because one bad line must not refuse a file. */
function clearingRoute(instance: FastifyInstance, ctx: Ctx): void {
  const read = clearingReader(instance)
  instance.post(
    clearingsPath,
    {
      config: { access: 'issuer' },
      bodyLimit: largestFileBytes,
      validatorCompiler: () => () => true,
      schema: {
        tags,
        summary: 'Clear one payment, or a file of them',
        description: `One message, an array, or one message a line (\`application/x-ndjson\`): at most ${mostLines} messages and 1 MiB. Each line of a file is answered for itself; a bad one stops no other.`,
        operationId: 'issuerSendClearings',
        consumes: ['application/json', 'application/x-ndjson'],
        body: Type.Unsafe({
          anyOf: [
            ref(ClearingMessage),
            { type: 'array', items: ref(ClearingMessage), minItems: 1, maxItems: mostLines },
          ],
        }),
        response: {
          200: {
            description: 'The answer to the message, or the results of the file.',
            content: { 'application/json': { schema: { anyOf: [ref(FileAnswer), ref(MessageAnswer)] } } },
          },
          ...plainErrors(400, 413, ...messageRefusals),
        },
      },
    },
    async (request) => {
      const { body } = request
      if (typeof body === 'string') return takeLines(textEntries(instance, request, body))
      if (Array.isArray(body)) return takeLines(body.map((entry: unknown, i) => ({ line: i + 1, entry })))
      return takeMessage(ctx, read(body))
    },
  )

  async function takeLines(entries: readonly Entry[]) {
    if (entries.length < 1 || entries.length > mostLines) {
      throw new InvalidInput(`body must have 1 to ${mostLines} messages`)
    }
    return { results: await takeFile(ctx, entries.map(lineOf)) }
  }

  function lineOf({ line, entry }: Entry): Line {
    const eventId: unknown = Object(entry).eventId
    return {
      line,
      eventId: typeof eventId === 'string' ? eventId.slice(0, 255) : null,
      read: () => {
        if (entry instanceof Error) throw entry
        return read(entry)
      },
    }
  }
}

/** One message of a file, or what kept it from being read. */
type Entry = { readonly line: number; readonly entry: unknown }

function textEntries(app: FastifyInstance, request: FastifyRequest, text: string): Entry[] {
  return text.split('\n').flatMap((content, i) => {
    if (content.trim() === '') return []
    try {
      return [{ line: i + 1, entry: parseJson(app, request, content) }]
    } catch (entry) {
      return [{ line: i + 1, entry }]
    }
  })
}

/** The same check that a route with this schema makes, for one entry of a file. */
function clearingReader(app: FastifyInstance): (entry: unknown) => Static<typeof ClearingMessage> {
  const validate = app.validatorCompiler?.({
    schema: ref(ClearingMessage),
    httpPart: 'body',
    method: 'POST',
    url: clearingsPath,
  })
  if (!validate) throw new Error('the app has no validator')
  return (entry) => {
    if (validate(entry) !== true) throw new InvalidInput(describeProblem(validate.errors ?? [], 'body').message)
    // What the schema has accepted is what the schema says.
    return entry as Static<typeof ClearingMessage>
  }
}

function cardEventRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.post(
    '/issuer/v1/card-events',
    {
      config: { access: 'issuer' },
      schema: {
        tags,
        summary: 'Tell what became of a card',
        description:
          'Blocked or unblocked by the issuer, activated, lost, stolen, expired. Events may come in any order: one that is older than what the card follows changes nothing.',
        operationId: 'issuerSendCardEvent',
        body: ref(CardEvent),
        response: {
          200: { description: 'The card after it.', content: { 'application/json': { schema: ref(CardEventAnswer) } } },
          ...plainErrors(400, 'CARD_NOT_FOUND', 'EVENT_ID_REUSED', 'INVALID_CARD_STATUS'),
        },
      },
    },
    async (request) => takeCardEvent(ctx, request.body),
  )
}
