import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { commands } from './commands.ts'
import { prepareOrPropose } from './decision-request.ts'
import { decisionRouteTable } from './decision-route-table.ts'
import { decisionResponses, ReasonBody } from './decision-schemas.ts'
import type { DecisionSignature } from './proposals.ts'

/** Routes that change something. Each one only names its command. `proposals.ts` does the rest. */
export function decisionRoutes(app: FastifyInstance, ctx: Ctx): void {
  for (const { route, command, operationId, summary, subject, errors } of decisionRouteTable) {
    const [method = '', path = ''] = route.split(' ')
    const { permission, arguments: rules } = commands[command]
    const own = Object.entries(rules).map(([name, { pattern }]) => [name, Type.String({ pattern: pattern.source })])
    const fields = { ...('body' in subject ? { [subject.body]: subject.schema } : {}), ...Object.fromEntries(own) }
    app.route<{
      Params: Record<string, string>
      Body: Record<string, unknown> & { reason: string; signed?: DecisionSignature }
    }>({
      method,
      url: `/operator${path}`,
      config: { access: 'operator', may: permission, limited: 'proof' },
      schema: {
        tags: ['Operator'],
        summary,
        description: 'Works like `POST /operator/proposals`. `Idempotency-Key` is ignored.',
        operationId,
        ...('path' in subject ? { params: Type.Object({ [subject.path]: subject.schema }) } : {}),
        body: Object.keys(fields).length === 0 ? ReasonBody : Type.Object({ ...fields, ...ReasonBody.properties }),
        response: decisionResponses(...errors),
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
