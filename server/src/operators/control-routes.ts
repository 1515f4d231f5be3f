import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { type TProperties, Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { listKeys } from '../identity/access-tokens/keys.ts'
import { partnerStatuses } from '../lib/partner-status.ts'
import { listPartners } from '../partners/approval.ts'
import { listDomains } from '../partners/domains.ts'
import { DateTime, nullable, oneOf, Uuid } from '../platform/http/schemas.ts'
import { killSwitches } from '../switches/rules.ts'
import { readSwitches } from '../switches/switches.ts'

const tags = ['Operator']
const listOf = <T extends TProperties>(item: T) => ({ 200: Type.Object({ data: Type.Array(Type.Object(item)) }) })

/** Routes that read the subjects of control commands: partners, domains, signing keys and kill switches. */
export function controlRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/operator/partners',
    {
      config: { access: 'operator', may: 'partners:read' },
      schema: {
        tags,
        summary: 'List up to 1000 partners: pending ones first, then the newest',
        operationId: 'operator.partners.list',
        response: listOf({
          partnerId: Uuid,
          name: Type.String(),
          status: oneOf(partnerStatuses),
          createdAt: DateTime,
        }),
      },
    },
    async () => ({
      data: (await listPartners(ctx)).map(({ createdAt, ...partner }) => ({
        ...partner,
        createdAt: createdAt.toISOString(),
      })),
    }),
  )

  app.get(
    '/operator/domains',
    {
      config: { access: 'operator', may: 'partners:read' },
      schema: {
        tags,
        summary: 'List the sign-in domains',
        operationId: 'operator.domains.list',
        response: { 200: Type.Object({ data: Type.Array(Type.String()) }) },
      },
    },
    async () => ({ data: await listDomains(ctx) }),
  )

  app.get(
    '/operator/signing-keys',
    {
      config: { access: 'operator', may: 'work:read' },
      schema: {
        tags,
        summary: 'List the keys that sign access tokens',
        operationId: 'operator.signingKeys.list',
        response: listOf({ kid: Type.String(), activeFrom: DateTime, retiredAt: nullable(DateTime) }),
      },
    },
    async () => ({
      data: (await listKeys(ctx)).map(({ kid, activeFrom, retiredAt }) => ({
        kid,
        activeFrom: activeFrom.toISOString(),
        retiredAt: retiredAt?.toISOString() ?? null,
      })),
    }),
  )

  app.get(
    '/operator/switches',
    {
      config: { access: 'operator', may: 'work:read' },
      schema: {
        tags,
        summary: 'List the kill switches',
        operationId: 'operator.switches.list',
        response: listOf({ name: oneOf(killSwitches), isOn: Type.Boolean(), changedAt: nullable(DateTime) }),
      },
    },
    async () => ({
      data: (await readSwitches(ctx, ctx.db)).map(({ name, isOn, changedAt }) => ({
        name,
        isOn,
        changedAt: changedAt?.toISOString() ?? null,
      })),
    }),
  )
}
