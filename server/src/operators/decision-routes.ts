import type { FastifyInstance } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { OperatorCommand } from '../config/operators.ts'
import type { Ctx } from '../context.ts'
import { Address, Uuid } from '../platform/http/schemas.ts'
import { commands } from './commands.ts'
import { prepareOrPropose } from './decision-request.ts'
import { proposalResponses, Reason, SignedDecisionBody } from './decision-schemas.ts'
import type { DecisionSignature } from './proposals.ts'

/** Where a route has its subject: in the path, in the body, or always the same. */
type Subject =
  | { readonly path: string; readonly schema: TSchema }
  | { readonly body: string; readonly schema: TSchema }
  | { readonly is: string }

type DecisionRoute = {
  readonly route: `${'POST' | 'PATCH' | 'DELETE'} ${string}`
  readonly command: OperatorCommand
  readonly subject: Subject
}

const text = (pattern: string) => Type.String({ pattern, maxLength: 300 })
const user = { path: 'userId', schema: Uuid }
const payout = { path: 'withdrawalId', schema: Uuid }
const partner = { path: 'partnerId', schema: Uuid }
const domain = { schema: text('^[^\\u0000-\\u0020]+$') }
const wallet = Type.String({
  pattern: '^(eip155:[1-9][0-9]{0,9}:)?0x[0-9a-fA-F]{40}$',
  description: 'An address, or `eip155:<chain id>:<address>` for a contract.',
})

/** One row per change that an operator can make. Every row makes a proposal of its command. */
export const decisionRouteTable: readonly DecisionRoute[] = [
  { route: 'POST /users/:userId/block', command: 'user block', subject: user },
  { route: 'POST /users/:userId/unblock', command: 'user unblock', subject: user },
  { route: 'POST /users/:userId/erase', command: 'user erase', subject: user },
  {
    route: 'POST /deposits/:depositId/return',
    command: 'deposits return',
    subject: { path: 'depositId', schema: Uuid },
  },
  {
    route: 'POST /transfers/:transfer/tell',
    command: 'transfers tell',
    subject: { path: 'transfer', schema: text('^[0-9]+:0x[0-9a-fA-F]{64}:[0-9]+$') },
  },
  {
    route: 'POST /payouts/:withdrawalId/decide',
    command: 'payouts decide',
    subject: payout,
  },
  {
    route: 'POST /payouts/:withdrawalId/cancel',
    command: 'payouts cancel',
    subject: payout,
  },
  {
    route: 'POST /payouts/:withdrawalId/assign',
    command: 'payouts assign',
    subject: payout,
  },
  {
    route: 'POST /reviews/:reviewId/done',
    command: 'reviews done',
    subject: { path: 'reviewId', schema: Uuid },
  },
  {
    route: 'POST /webhooks/:endpointId/resend',
    command: 'webhooks resend',
    subject: { path: 'endpointId', schema: Uuid },
  },
  {
    route: 'POST /partners/:partnerId/approve',
    command: 'partner approve',
    subject: partner,
  },
  {
    route: 'POST /partners/:partnerId/suspend',
    command: 'partner suspend',
    subject: partner,
  },
  {
    route: 'POST /partners/:partnerId/details',
    command: 'partner details',
    subject: partner,
  },
  {
    route: 'POST /domains',
    command: 'domain add',
    subject: { body: 'domain', ...domain },
  },
  {
    route: 'DELETE /domains/:domain',
    command: 'domain remove',
    subject: { path: 'domain', ...domain },
  },
  {
    route: 'POST /signing-keys/rotate',
    command: 'keys rotate',
    subject: { is: 'signing-keys' },
  },
  {
    route: 'POST /signing-keys/:kid/retire',
    command: 'keys retire',
    subject: { path: 'kid', schema: text('^[A-Za-z0-9_-]+$') },
  },
  {
    route: 'POST /switches/payouts/off',
    command: 'switch payouts off',
    subject: { is: 'payouts' },
  },
  {
    route: 'POST /switches/payouts/on',
    command: 'switch payouts on',
    subject: { is: 'payouts' },
  },
  {
    route: 'POST /switches/card-approvals/off',
    command: 'switch card-approvals off',
    subject: { is: 'card-approvals' },
  },
  {
    route: 'POST /switches/card-approvals/on',
    command: 'switch card-approvals on',
    subject: { is: 'card-approvals' },
  },
  {
    route: 'POST /operators',
    command: 'operator add',
    subject: { body: 'wallet', schema: wallet },
  },
  {
    route: 'PATCH /operators/:address',
    command: 'operator change',
    subject: { path: 'address', schema: Address },
  },
  {
    route: 'DELETE /operators/:address',
    command: 'operator remove',
    subject: { path: 'address', schema: Address },
  },
]

/** Routes that change something. Each one only names its command. `proposals.ts` does the rest. */
export function decisionRoutes(app: FastifyInstance, ctx: Ctx): void {
  for (const { route, command, subject } of decisionRouteTable) {
    const [method = '', path = ''] = route.split(' ')
    const { permission, arguments: rules } = commands[command]
    const fields = Object.entries(rules).map(([name, { pattern }]) => [name, Type.String({ pattern: pattern.source })])
    app.route<{
      Params: Record<string, string>
      Body: Record<string, unknown> & { reason: string; signed?: DecisionSignature }
    }>({
      method,
      url: `/operator${path}`,
      config: { access: 'operator', may: permission, limited: 'proof' },
      schema: {
        // These routes are not in the document, because `POST /operator/proposals` does the same.
        hide: true,
        ...('path' in subject ? { params: Type.Object({ [subject.path]: subject.schema }) } : {}),
        body: Type.Object({
          ...('body' in subject ? { [subject.body]: subject.schema } : {}),
          ...Object.fromEntries(fields),
          reason: Reason,
          signed: Type.Optional(SignedDecisionBody),
        }),
        response: { ...proposalResponses },
      },
      handler: async (request, reply) => {
        const { body, params } = request
        const given = Object.keys(rules).map((name) => [name, String(body[name])] as const)
        const named = 'is' in subject ? subject.is : 'path' in subject ? params[subject.path] : body[subject.body]
        const asked = {
          name: command,
          subject: String(named),
          arguments: Object.fromEntries(given),
          reason: body.reason,
        }
        const { status, record } = await prepareOrPropose(ctx, request, asked, body.signed)
        return reply.code(status).send(record)
      },
    })
  }
}
