import type { Ctx } from '../context.ts'
import { clearOutbox } from '../events/events.ts'
import { addSeconds } from '../lib/clock.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import { listDomainClaims } from '../partners/domains.ts'
import { type Actor, lockPartner, readPartner, recordPartnerChange } from '../partners/partners.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import { appendEvents } from './append-events.ts'
import { abandonDeliveries, deleteDeliveriesTo, findReceivingEndpoints } from './deliveries-sql.ts'
import { newSeed, signingSeeds } from './endpoint-keys.ts'
import {
  deleteEndpoint,
  deleteFailures,
  type Endpoint,
  findEnabledOf,
  findEndpoint,
  findEndpoints,
  insertEndpoint,
  lockEndpointById,
  updateEndpoint,
} from './endpoints-sql.ts'
import { envelope, isFilter, problemOfEndpointUrl, versionOf } from './rules.ts'
import { deleteEventsAbout, lockLogs } from './sql.ts'

/**
 * Webhook endpoints and the event log. Owns `webhook_endpoint`, `webhook_failure`, `webhook_delivery`,
 * `webhook_attempt`, `partner_event`, `partner_stream`.
 *
 * A partner enables and disables its endpoints. Purser disables one after three days of failures or a response of 410.
 * A delivery is pending, then delivered or dead. It becomes pending again when it is resent.
 *
 * Invariants:
 * - An event is in its partner's log before it is sent. It stays there for 30 days, delivered or not, unless its user
 *   is erased.
 * - An event is sent at least once to each working endpoint whose filter matches.
 * - Every delivery of an event has the same bytes.
 */
export type { Endpoint }

const maxEndpoints = 20
/** The maximum number of old keys that also sign. Each one makes the headers longer. */
const maxOldKeys = 3
/** A transaction ends at most this many deliveries, because the publication of events may wait for its locks. */
const maxDeliveriesPerBatch = 1000

export type EndpointSettings = {
  readonly url: string
  readonly events: readonly string[]
  readonly description: string
  readonly status: Endpoint['status']
}

export function listEndpoints(ctx: Ctx, { partnerId }: Actor): Promise<Endpoint[]> {
  return findEndpoints(ctx.db, partnerId)
}

/** Returns the reasons why no events of users arrive, each with the remedy. */
export async function warningsFor(ctx: Ctx, actor: Actor): Promise<string[]> {
  const { status } = await readPartner(ctx, actor)
  const claims = await listDomainClaims(ctx, actor)
  return [
    ...(status === 'active' ? [] : [`The partner is ${status}, so deliveries wait. Contact the programme.`]),
    ...(claims.some(({ verifiedAt }) => verifiedAt !== null)
      ? []
      : [
          'The partner has no verified domain, so no users can join it and cause events. Claim a domain with POST /partner/domains.',
        ]),
  ]
}

export async function createEndpoint(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { url, events, description }: Omit<EndpointSettings, 'status'>,
): Promise<Endpoint> {
  checkSettings(ctx, { url, events })
  const now = ctx.clock.now()
  const endpointId = newId(now)
  const endpoint: Endpoint = {
    endpointId,
    partnerId: actor.partnerId,
    url,
    events,
    description,
    status: 'enabled',
    disabledReason: null,
    keySeeds: [newSeed(ctx.config.secrets, endpointId)],
    previousKeyUntil: null,
    failingSince: null,
    createdAt: now,
  }
  const change = { action: 'webhook.created', subject: endpoint.endpointId, detail: { url, events } }
  await recordPartnerChange(ctx, tx, actor, change)
  if ((await findEndpoints(tx, actor.partnerId)).length >= maxEndpoints) throw new Refusal('ENDPOINT_LIMIT_REACHED')
  await insertEndpoint(tx, endpoint)
  return endpoint
}

/**
 * Changes an endpoint. A new URL clears its failures, and so does enabling it. An endpoint that was enabled again
 * receives new events, and the deliveries that are still pending. With a version, the change is rejected if the
 * endpoint has changed since, unless it already has the new settings. So a repeated request succeeds.
 */
export async function changeEndpoint(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  endpointId: string,
  settings: Partial<EndpointSettings>,
  version?: string,
): Promise<Endpoint> {
  checkSettings(ctx, settings)
  await recordPartnerChange(ctx, tx, actor, { action: 'webhook.changed', subject: endpointId, detail: settings })
  const endpoint = await requireEndpoint(tx, actor, endpointId)
  const changed: Endpoint = { ...endpoint, ...settings }
  const present = versionOf(endpoint)
  if (version !== undefined && version !== present && versionOf(changed) !== present)
    throw new Refusal('ENDPOINT_CHANGED')
  const isSwitched = changed.status !== endpoint.status
  if (!isSwitched && changed.url === endpoint.url) {
    await updateEndpoint(tx, changed)
    return changed
  }
  const isDisabled = changed.status === 'disabled'
  const disabledReason = isDisabled ? 'partner' : null
  const fresh: Endpoint = { ...changed, ...(isSwitched && { disabledReason }), failingSince: null }
  await updateEndpoint(tx, fresh)
  await deleteFailures(tx, [endpointId])
  if (isSwitched && isDisabled) await endDeliveries(tx, actor.partnerId, endpointId)
  return fresh
}

export async function removeEndpoint(ctx: Ctx, tx: Tx, actor: Actor, endpointId: string): Promise<void> {
  await recordPartnerChange(ctx, tx, actor, { action: 'webhook.removed', subject: endpointId })
  if (!(await deleteEndpoint(tx, actor.partnerId, endpointId))) throw new Refusal('ENDPOINT_NOT_FOUND')
  await endDeliveries(tx, actor.partnerId, endpointId)
}

/** Ends the first deliveries of an endpoint, after it was disabled or removed. */
async function endDeliveries(tx: Tx, partnerId: string, endpointId: string): Promise<void> {
  // Afterwards, no transaction that saw the enabled endpoint adds deliveries.
  await lockLogs(tx, [partnerId])
  await endBatch(tx, endpointId)
}

/**
 * Turns pending deliveries of a disabled endpoint into dead letters, or deletes deliveries of a removed one. Returns
 * their number. The lock keeps the endpoint disabled: once a partner enables it, its pending deliveries are sent.
 */
async function endBatch(tx: Tx, endpointId: string): Promise<number> {
  const endpoint = await lockEndpointById(tx, endpointId)
  if (endpoint === null) return deleteDeliveriesTo(tx, endpointId, maxDeliveriesPerBatch)
  return endpoint.status === 'disabled' ? abandonDeliveries(tx, endpointId, maxDeliveriesPerBatch) : 0
}

/** Ends the remaining deliveries of disabled and removed endpoints, without the lock of the log. */
export async function endRemainingDeliveries({ db }: Pick<Ctx, 'db'>, signal: AbortSignal): Promise<void> {
  const receivers = await findReceivingEndpoints(db)
  const enabled = new Set(await findEnabledOf(db, receivers))
  for (const endpointId of receivers.filter((id) => !enabled.has(id))) {
    while (!signal.aborted && (await db.transaction((tx) => endBatch(tx, endpointId))) === maxDeliveriesPerBatch);
  }
}

/**
 * Creates a new key for the endpoint. During the overlap, the newest `maxOldKeys` of the keys that sign now continue to
 * sign, not only the last one. If the response of an earlier rotation was lost, receivers still use an older secret.
 */
export async function rotateEndpointKeys(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  endpointId: string,
  overlapSeconds: number,
): Promise<Endpoint> {
  await recordPartnerChange(ctx, tx, actor, {
    action: 'webhook.rotated',
    subject: endpointId,
    detail: { overlapSeconds },
  })
  const endpoint = await requireEndpoint(tx, actor, endpointId)
  const older = signingSeeds(ctx, endpoint).slice(0, maxOldKeys)
  const rotated: Endpoint = {
    ...endpoint,
    keySeeds: [newSeed(ctx.config.secrets, endpointId), ...older],
    previousKeyUntil: addSeconds(ctx.clock.now(), overlapSeconds),
  }
  await updateEndpoint(tx, rotated)
  return rotated
}

/**
 * Disables a failing endpoint, writes the audit log and notifies the partner's other endpoints. Does nothing if the URL
 * has changed since the attempt, because the new URL may work.
 */
export async function disableEndpoint(ctx: Ctx, attempted: Endpoint, reason: 'failing' | 'gone'): Promise<void> {
  const { partnerId, endpointId, url } = attempted
  const isDone = await ctx.db.transaction(async (tx) => {
    // Read under the lock: one of several concurrent attempts disables the endpoint, and no change by the partner is
    // lost.
    await lockPartner(tx, partnerId)
    const endpoint = await findEndpoint(tx, partnerId, endpointId)
    if (endpoint?.status !== 'enabled' || endpoint.url !== url) return false
    const actor = { partnerId, actor: 'purser' }
    await recordPartnerChange(ctx, tx, actor, { action: 'webhook.disabled', subject: endpointId, detail: { reason } })
    await updateEndpoint(tx, { ...endpoint, status: 'disabled', disabledReason: reason })
    await endDeliveries(tx, partnerId, endpointId)
    const createdAt = ctx.clock.now()
    const eventId = newId(createdAt)
    const type = 'webhook.endpoint.disabled' as const
    const fields = JSON.stringify({ endpointId, url: endpoint.url, reason })
    const body = envelope({ eventId, type, createdAt, fields, of: null })
    await appendEvents(ctx, tx, [{ partnerId, userId: null, eventId, type, createdAt, body }])
    return true
  })
  if (!isDone) return
  ctx.metrics.webhooksDisabled.inc({ reason })
  ctx.log.warn({ partnerId, endpointId, reason }, 'webhook endpoint disabled')
}

/**
 * Deletes everything that was reported about a user, when the user is erased: events in the outbox and in the log, with
 * their deliveries. The outbox comes first: its rows are locked while they are moved to the log.
 */
export async function eraseEvents(tx: Tx, userId: string): Promise<void> {
  const partnerId = await clearOutbox(tx, userId)
  if (partnerId !== null) await deleteEventsAbout(tx, partnerId, userId)
}

export async function requireEndpoint(db: Queryable, { partnerId }: Actor, endpointId: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, partnerId, endpointId)
  if (endpoint === null) throw new Refusal('ENDPOINT_NOT_FOUND')
  return endpoint
}

function checkSettings(ctx: Ctx, { url, events = [] }: Partial<EndpointSettings>): void {
  const problem = url === undefined ? null : problemOfEndpointUrl(url, ctx.config.allowsPrivateWebhooks)
  if (problem !== null) throw new InvalidInput(`body/url ${problem}`)
  const unknown = events.find((filter) => !isFilter(filter))
  if (unknown !== undefined) throw new InvalidInput(`body/events: "${unknown}" is not an event type or filter`)
}
