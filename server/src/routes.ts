import type { FastifyInstance } from 'fastify'
import { cardHistoryRoutes } from './card-history/routes.ts'
import { cardRoutes, cardSchemas } from './cards/cards/routes.ts'
import { cardStatuses } from './cards/cards/rules.ts'
import { issuerGatewayRoutes } from './cards/gateway/routes.ts'
import { issuerSchemas } from './cards/gateway/schemas.ts'
import { frameRoutes } from './cards/pci/frame-routes.ts'
import { pciRoutes } from './cards/pci/routes.ts'
import { entryModes, messageTypes } from './cards/transactions/rules.ts'
import { closingRoutes } from './closing/routes.ts'
import { operatorBookRoutes } from './console/book-routes.ts'
import { evidenceRoutes } from './console/evidence-routes.ts'
import { operatorUserRoutes } from './console/user-routes.ts'
import { operatorWorkRoutes } from './console/work-routes.ts'
import type { Ctx } from './context.ts'
import { tokenRoutes } from './identity/access-tokens/routes.ts'
import { authRoutes } from './identity/auth/routes.ts'
import { sessionRoutes } from './identity/auth/session-routes.ts'
import { kycCallbackRoutes } from './identity/kyc/callback-routes.ts'
import { kycRoutes } from './identity/kyc/routes.ts'
import { ownerRoutes } from './identity/onboarding/owners-routes.ts'
import { accountRoutes, registrationRoutes, userRoutes } from './identity/onboarding/routes.ts'
import { sourceOfFundsRoutes, termsRoutes } from './identity/onboarding/terms-routes.ts'
import { kycStatuses } from './lib/kyc-status.ts'
import { operatorRoles } from './lib/operator-permission.ts'
import { accountStatuses } from './lib/user-status.ts'
import { balanceRoutes } from './money/balances/routes.ts'
import { depositRoutes } from './money/deposits/routes.ts'
import { screeningRoutes } from './money/deposits/screening-routes.ts'
import { ibanActivationRoutes, ibanRoutes } from './money/ibans/routes.ts'
import { statementRoutes, statementSchemas } from './money/statement/routes.ts'
import { withdrawalRoutes } from './money/withdrawals/routes.ts'
import { decisionRoutes } from './operators/decision-routes.ts'
import { operatorRoutes } from './operators/operator-routes.ts'
import { proposalRoutes } from './operators/proposal-routes.ts'
import { operatorSessionRoutes } from './operators/session-routes.ts'
import { partnerUserRoutes } from './partner-users/routes.ts'
import { activityRoutes } from './partners/activity-routes.ts'
import { apiKeyRoutes } from './partners/api-key-routes.ts'
import { kycClientRoutes, partnerDomainRoutes } from './partners/domain-routes.ts'
import { invitationRoutes, receivedInvitationRoutes } from './partners/invitation-routes.ts'
import { memberRoutes, partnerRoutes } from './partners/routes.ts'
import { scopes } from './partners/rules.ts'
import { serveApiDocument } from './platform/http/openapi.ts'
import { respondOnlyAt } from './platform/http/own-host.ts'
import { oneOf, sharedSchemas } from './platform/http/schemas.ts'
import { securityRoutes } from './platform/http/security-routes.ts'
import type { Jobs } from './platform/jobs/jobs.ts'
import { healthRoutes, metricsRoute } from './platform/observability/routes.ts'
import { programmeRoutes } from './platform/programme/routes.ts'
import { sandboxCardRoutes } from './sandbox/cards-routes.ts'
import { sandboxChainRoutes } from './sandbox/chain-routes.ts'
import { sandboxClockRoutes } from './sandbox/clock-routes.ts'
import { sandboxDepositRoutes } from './sandbox/deposits-routes.ts'
import { sandboxKycRoutes } from './sandbox/kyc-routes.ts'
import { sandboxTransactionRoutes } from './sandbox/transactions-routes.ts'
import { sandboxUserRoutes } from './sandbox/users-routes.ts'
import { sandboxWebhookRoutes } from './sandbox/webhooks-routes.ts'
import { sandboxWithdrawalRoutes } from './sandbox/withdrawals-routes.ts'
import { statementItemSchemas } from './statement-items/schemas.ts'
import { deliveryRoutes } from './webhooks/delivery-routes.ts'
import { eventRoutes } from './webhooks/event-routes.ts'
import { EventFilters, webhookRoutes } from './webhooks/routes.ts'
import { EventId, eventSchemas } from './webhooks/schemas.ts'

export { documentedWebhooks } from './webhooks/schemas.ts'

/** Schemas without a title that many routes use, by their names in the OpenAPI document. */
export const commonSchemas = {
  EventId,
  EventFilters,
  AccountStatus: oneOf(accountStatuses),
  ApiKeyScope: oneOf(scopes),
  CardMessageType: oneOf(messageTypes),
  CardState: oneOf(cardStatuses),
  EntryMode: oneOf(entryModes),
  KycStatus: oneOf(kycStatuses),
  OperatorRole: oneOf(operatorRoles),
}

/** The records whose fields other records repeat, by their names in the OpenAPI document. */
export const baseRecords = [
  'ApiKey',
  'CardMessage',
  'IssuerPaymentMessage',
  'MovementSummary',
  'PartnerSummary',
  'PersonalData',
  'WebhookEndpoint',
]

/** The schemas that routes refer to by name. */
export const apiSchemas = [
  ...sharedSchemas,
  ...cardSchemas,
  ...statementItemSchemas,
  ...statementSchemas,
  ...issuerSchemas,
  ...eventSchemas,
]

/** Registers every route of the service. Add new route files here. */
export function registerRoutes(app: FastifyInstance, ctx: Ctx, jobs: Jobs, operatorCtx: Ctx): void {
  healthRoutes(app, ctx)
  // Anybody can reach this port. In production, it serves metrics only if METRICS_TOKEN is set.
  const { mode, metricsToken } = ctx.config
  if (mode === 'sandbox' || metricsToken !== null) metricsRoute(app, ctx, metricsToken)
  securityRoutes(app, ctx)
  programmeRoutes(app, ctx)
  authRoutes(app, ctx)
  sessionRoutes(app, ctx)
  tokenRoutes(app, ctx)
  registrationRoutes(app, ctx)
  userRoutes(app, ctx)
  ownerRoutes(app, ctx)
  closingRoutes(app, ctx)
  termsRoutes(app, ctx)
  sourceOfFundsRoutes(app, ctx)
  accountRoutes(app, ctx)
  kycRoutes(app, ctx)
  ibanRoutes(app, ctx)
  ibanActivationRoutes(app, ctx)
  cardRoutes(app, ctx)
  pciRoutes(app, ctx)
  frameRoutes(app, ctx)
  depositRoutes(app, ctx)
  withdrawalRoutes(app, ctx)
  balanceRoutes(app, ctx)
  statementRoutes(app, ctx)
  cardHistoryRoutes(app, ctx)
  issuerGatewayRoutes(app, ctx)
  partnerRoutes(app, ctx)
  memberRoutes(app, ctx)
  invitationRoutes(app, ctx)
  receivedInvitationRoutes(app, ctx)
  partnerDomainRoutes(app, ctx)
  kycClientRoutes(app, ctx)
  apiKeyRoutes(app, ctx)
  activityRoutes(app, ctx)
  partnerUserRoutes(app, ctx)
  webhookRoutes(app, ctx)
  eventRoutes(app, ctx)
  deliveryRoutes(app, ctx)
  screeningRoutes(app, ctx)
  kycCallbackRoutes(app, ctx)
  if (ctx.config.operatorApi) app.register(async (scope) => registerOperatorRoutes(scope, operatorCtx))
  if (ctx.sandbox !== null) registerSandboxRoutes(app, { ...ctx, db: ctx.sandbox.db }, jobs)
}

/**
 * Registers the API of operators. Its context has the database role `operator`. In production it responds only to the
 * host of the console, so that a proxy which publishes the API of users does not publish this one. A sandbox has one
 * host.
 */
function registerOperatorRoutes(app: FastifyInstance, ctx: Ctx): void {
  const { separatesHosts, servers } = ctx.config
  if (separatesHosts) respondOnlyAt(app, servers.console)
  operatorSessionRoutes(app, ctx)
  operatorRoutes(app, ctx)
  operatorUserRoutes(app, ctx)
  operatorBookRoutes(app, ctx)
  operatorWorkRoutes(app, ctx)
  evidenceRoutes(app, ctx)
  proposalRoutes(app, ctx)
  decisionRoutes(app, ctx)
  serveApiDocument(app, ctx.config, 'operators')
}

/** Registers the simulator, which simulates the outside world in the sandbox. */
function registerSandboxRoutes(app: FastifyInstance, ctx: Ctx, jobs: Jobs): void {
  sandboxUserRoutes(app, ctx)
  sandboxKycRoutes(app, ctx)
  sandboxCardRoutes(app, ctx)
  sandboxDepositRoutes(app, ctx)
  sandboxWithdrawalRoutes(app, ctx)
  sandboxTransactionRoutes(app, ctx)
  sandboxChainRoutes(app, ctx)
  sandboxWebhookRoutes(app)
  sandboxClockRoutes(app, ctx, jobs)
}
