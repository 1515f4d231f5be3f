import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { parseJson } from '../../platform/http/json.ts'
import { plainErrors, ref } from '../../platform/http/schemas.ts'
import { leaveBodiesAsBytes } from '../../platform/http/signed-body.ts'
import { describeProblem } from '../../platform/http/validation.ts'
import { takeCardEvent } from './gateway.ts'
import { decideMessage, type Line, takeFile, takeMessage } from './messages.ts'
import {
  AdviceMessage,
  AuthorizationMessage,
  CardEvent,
  CardEventResponse,
  ClearingMessage,
  FileResponse,
  MessageResponse,
  RefundMessage,
  ReversalMessage,
} from './schemas.ts'

const tags = ['Issuer']
const messageErrors = [
  'CARD_NOT_FOUND',
  'AUTHORIZATION_NOT_FOUND',
  'EVENT_ID_REUSED',
  'AUTHORIZATION_CODE_USED',
  'BILLING_AMOUNT_NEEDED',
] as const
const response = {
  200: {
    description: 'The decision. A retry of the event gets the same response.',
    content: { 'application/json': { schema: ref(MessageResponse) } },
  },
  ...plainErrors(400, ...messageErrors),
}

const clearingsPath = '/issuer/v1/clearings'
const maxFileBytes = 1024 * 1024
const maxLines = 1000

export function issuerGatewayRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.register(async (scope) => {
    leaveBodiesAsBytes(scope, 'application/x-ndjson')
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
        summary: 'Decide an authorization',
        description:
          'Takes authorizations, increments, replacements and single messages. A message that cannot be decided before the deadline is declined with `TMO`, and holds nothing.',
        operationId: 'issuer.authorizations.send',
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
    summary: "Report an approval that the network gave on the issuer's behalf",
    operationId: 'issuer.advices.send',
  },
  {
    path: 'reversals',
    schema: ReversalMessage,
    summary: 'Reverse an authorization, fully or in part',
    operationId: 'issuer.reversals.send',
  },
  {
    path: 'refunds',
    schema: RefundMessage,
    summary: 'Refund money, or reverse a refund',
    operationId: 'issuer.refunds.send',
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

/** The handler validates each line itself, because one invalid line must not reject the whole file. */
function clearingRoute(instance: FastifyInstance, ctx: Ctx): void {
  const read = clearingReader(instance)
  instance.post(
    clearingsPath,
    {
      config: { access: 'issuer' },
      bodyLimit: maxFileBytes,
      validatorCompiler: () => () => true,
      schema: {
        tags,
        summary: 'Post one clearing, or a file of clearings',
        description: `Takes one message, an array, or one message per line (\`application/x-ndjson\`), with at most ${maxLines} messages and 1 MiB. Each line of a file gets its own result. An invalid line does not stop the others.`,
        operationId: 'issuer.clearings.send',
        consumes: ['application/json', 'application/x-ndjson'],
        body: Type.Unsafe({
          anyOf: [
            ref(ClearingMessage),
            { type: 'array', items: ref(ClearingMessage), minItems: 1, maxItems: maxLines },
          ],
        }),
        response: {
          200: {
            description: 'The decision, or one result per line of the file.',
            content: { 'application/json': { schema: { anyOf: [ref(FileResponse), ref(MessageResponse)] } } },
          },
          ...plainErrors(400, 413, ...messageErrors),
        },
      },
    },
    async (request) => {
      const { body } = request
      if (typeof body === 'string') return takeLines(textEntries(instance, request, body))
      if (Array.isArray(body)) return takeLines(body.map((entry: unknown, i) => ({ line: i + 1, parse: () => entry })))
      return takeMessage(ctx, read(body))
    },
  )

  async function takeLines(entries: readonly Entry[]) {
    if (entries.length < 1 || entries.length > maxLines) {
      throw new InvalidInput(`body must have 1 to ${maxLines} messages, not ${entries.length}`)
    }
    return { results: await takeFile(ctx, entries.map(lineOf)) }
  }

  function lineOf({ line, parse }: Entry): Line {
    const entry = entryOf(parse)
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

/** One message of a file. It is parsed only after the messages are counted, so that too large a file costs little. */
type Entry = { readonly line: number; readonly parse: () => unknown }

/** Returns the parsed message, or the error that its parser threw. */
function entryOf(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    return error
  }
}

function textEntries(app: FastifyInstance, request: FastifyRequest, text: string): Entry[] {
  return text
    .split('\n')
    .flatMap((content, i) =>
      content.trim() === '' ? [] : [{ line: i + 1, parse: () => parseJson(app, request, content) }],
    )
}

/** Returns a function that validates one entry of a file, as a route with this schema would. */
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
    // Safe cast: the schema has accepted the entry.
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
        summary: 'Report a change of a card',
        description:
          "Takes blocks and unblocks by the issuer, activation, loss, theft and expiry. Events may arrive in any order. An event older than the card's newest event changes nothing, unless it reports loss, theft or expiry.",
        operationId: 'issuer.cardEvents.send',
        body: ref(CardEvent),
        response: {
          200: {
            description: 'The card after the event.',
            content: { 'application/json': { schema: ref(CardEventResponse) } },
          },
          ...plainErrors(400, 'CARD_NOT_FOUND', 'EVENT_ID_REUSED', 'INVALID_CARD_STATUS'),
        },
      },
    },
    async (request) => takeCardEvent(ctx, request.body),
  )
}
