import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import { type Actor, lockPartner, recordChange } from '../partners/partners.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import { appendEvents } from './append-events.ts'
import { envelope, isFilter, problemOfUrl } from './rules.ts'
import { type SigningKeys, signingKeys } from './signature.ts'
import {
  deleteEndpoint,
  type Endpoint,
  endDeliveries,
  findEndpoint,
  findEndpoints,
  insertEndpoint,
  updateEndpoint,
} from './sql.ts'

/**
 * Where partners hear of their users: endpoints that events are sent to, and the log that they can be read from. Owns
 * `webhook_endpoint`, `webhook_delivery`, `partner_event`, `partner_stream`.
 * An endpoint is enabled ⇄ disabled, by the partner, or by us when it only failed for three days or says that it is gone.
 * A delivery is pending → delivered or dead, and pending again when it is resent.
 * Invariants: an event is in its partner's log before it is sent, and stays there, whatever becomes of its deliveries;
 * it is sent at least once to each endpoint that wants it and works; all of its texts are the same bytes.
 */
export type { Endpoint }

const mostEndpoints = 20
/** So many keys before the current one sign too at most, each of which makes the headers longer. */
const mostOldKeys = 3

export type EndpointWishes = {
  readonly url: string
  readonly events: readonly string[]
  readonly description: string
  readonly status: Endpoint['status']
}

export function listEndpoints(ctx: Ctx, { partnerId }: Actor): Promise<Endpoint[]> {
  return findEndpoints(ctx.db, partnerId)
}

export function readEndpoint(ctx: Ctx, actor: Actor, endpointId: string): Promise<Endpoint> {
  return requireEndpoint(ctx.db, actor, endpointId)
}

export async function createEndpoint(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { url, events, description }: Omit<EndpointWishes, 'status'>,
): Promise<Endpoint> {
  checkWishes(ctx, { url, events })
  const now = ctx.clock.now()
  const endpoint: Endpoint = {
    endpointId: newId(now),
    partnerId: actor.partnerId,
    url,
    events,
    description,
    status: 'enabled',
    disabledReason: null,
    keyVersion: 1,
    oldestKeyVersion: null,
    previousKeyUntil: null,
    failingSince: null,
    createdAt: now,
  }
  const change = { action: 'webhook.created', subject: endpoint.endpointId, detail: { url, events } }
  await recordChange(ctx, tx, actor, change)
  if ((await findEndpoints(tx, actor.partnerId)).length >= mostEndpoints) throw new Refusal('ENDPOINT_LIMIT_REACHED')
  await insertEndpoint(tx, endpoint)
  return endpoint
}

/** An endpoint that is enabled again begins anew: events since then, and no failures yet. */
export async function changeEndpoint(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  endpointId: string,
  wishes: Partial<EndpointWishes>,
): Promise<Endpoint> {
  checkWishes(ctx, wishes)
  await recordChange(ctx, tx, actor, { action: 'webhook.changed', subject: endpointId, detail: wishes })
  const endpoint = await requireEndpoint(tx, actor, endpointId)
  const changed: Endpoint = { ...endpoint, ...wishes }
  if (changed.status === endpoint.status) {
    await updateEndpoint(tx, changed)
    return changed
  }
  const isDisabled = changed.status === 'disabled'
  const turned: Endpoint = { ...changed, disabledReason: isDisabled ? 'partner' : null, failingSince: null }
  await updateEndpoint(tx, turned)
  if (isDisabled) await endDeliveries(tx, endpointId)
  return turned
}

export async function removeEndpoint(ctx: Ctx, tx: Tx, actor: Actor, endpointId: string): Promise<void> {
  await recordChange(ctx, tx, actor, { action: 'webhook.removed', subject: endpointId })
  if (!(await deleteEndpoint(tx, actor.partnerId, endpointId))) throw new Refusal('ENDPOINT_NOT_FOUND')
}

/**
 * The endpoint gets a new key and secret; the ones before it sign too, for so long. All that sign now, not only the last:
 * where an answer was lost, nobody has the secret in it, and receivers still use an older one.
 */
export async function rotateKeys(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  endpointId: string,
  overlapSeconds: number,
): Promise<Endpoint> {
  await recordChange(ctx, tx, actor, { action: 'webhook.rotated', subject: endpointId, detail: { overlapSeconds } })
  const endpoint = await requireEndpoint(tx, actor, endpointId)
  const versions = signingVersions(ctx, endpoint).slice(0, mostOldKeys)
  const rotated: Endpoint = {
    ...endpoint,
    keyVersion: endpoint.keyVersion + 1,
    oldestKeyVersion: versions.at(-1) ?? null,
    previousKeyUntil: addSeconds(ctx.clock.now(), overlapSeconds),
  }
  await updateEndpoint(tx, rotated)
  return rotated
}

/** Those that sign for the endpoint now, the newest first. */
export function signingKeysOf(ctx: Ctx, endpoint: Endpoint): [SigningKeys, ...SigningKeys[]] {
  const { webhookKeys } = ctx.caches
  const keysOf = (version: number) => {
    const name = `${endpoint.endpointId} ${version}`
    const keys = webhookKeys.get(name) ?? signingKeys(ctx.config.secret, endpoint.endpointId, version)
    webhookKeys.set(name, keys)
    return keys
  }
  const [current, ...older] = signingVersions(ctx, endpoint)
  return [keysOf(current), ...older.map(keysOf)]
}

function signingVersions(ctx: Ctx, endpoint: Endpoint): [number, ...number[]] {
  const { keyVersion, oldestKeyVersion, previousKeyUntil } = endpoint
  if (previousKeyUntil === null || ctx.clock.now() >= previousKeyUntil) return [keyVersion]
  const older = keyVersion - (oldestKeyVersion ?? keyVersion - 1)
  return [keyVersion, ...Array.from({ length: older }, (_, i) => keyVersion - 1 - i)]
}

/**
 * It is not tried any more. The partner finds it in the list, in the audit log, and hears of it elsewhere. One that has
 * moved since it was tried is another one: that its old place is gone says nothing of the new one.
 */
export async function giveUpOn(ctx: Ctx, of: Endpoint, reason: 'failing' | 'gone'): Promise<void> {
  const { partnerId, endpointId, url } = of
  const isDone = await ctx.db.transaction(async (tx) => {
    // Read under the lock: of several attempts that end at once one gives it up, and what the partner changes stays.
    await lockPartner(tx, partnerId)
    const endpoint = await findEndpoint(tx, partnerId, endpointId)
    if (endpoint?.status !== 'enabled' || endpoint.url !== url) return false
    const actor = { partnerId, actor: 'purser' }
    await recordChange(ctx, tx, actor, { action: 'webhook.disabled', subject: endpointId, detail: { reason } })
    await updateEndpoint(tx, { ...endpoint, status: 'disabled', disabledReason: reason })
    await endDeliveries(tx, endpointId)
    const createdAt = ctx.clock.now()
    const eventId = newId(createdAt)
    const type = 'webhook.endpoint.disabled' as const
    const fields = JSON.stringify({ endpointId, url: endpoint.url, reason })
    const body = envelope({ eventId, type, createdAt, fields, of: null })
    await appendEvents(ctx, tx, [{ partnerId, eventId, type, createdAt, body }])
    return true
  })
  if (!isDone) return
  ctx.metrics.webhooksDisabled.inc({ reason })
  ctx.log.warn({ partnerId, endpointId, reason }, 'webhook endpoint disabled')
}

export async function requireEndpoint(db: Queryable, { partnerId }: Actor, endpointId: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, partnerId, endpointId)
  if (endpoint === null) throw new Refusal('ENDPOINT_NOT_FOUND')
  return endpoint
}

function checkWishes(ctx: Ctx, { url, events = [] }: Partial<EndpointWishes>): void {
  const problem = url === undefined ? null : problemOfUrl(url, ctx.config.mode === 'sandbox')
  if (problem !== null) throw new InvalidInput(`body/url ${problem}`)
  const unknown = events.find((filter) => !isFilter(filter))
  if (unknown !== undefined) throw new InvalidInput(`body/events: there is no event ${unknown}`)
}
