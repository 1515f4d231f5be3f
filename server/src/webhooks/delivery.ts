import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import { addSeconds, systemClock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { DataNode } from '../platform/db/nodes.ts'
import { loopOverNodes } from '../platform/jobs/node-loops.ts'
import { type Channel, openChannel } from '../platform/net/outbound.ts'
import { retryAfterSeconds } from '../platform/net/retry-after.ts'
import {
  type AttemptResult,
  insertAttempts,
  type LeasedDelivery,
  leaseDeliveries,
  recordAttempts,
  releaseDeliveries,
  scanDueDeliveries,
} from './deliveries-sql.ts'
import { signingKeysOf } from './endpoint-keys.ts'
import { deleteFailures, type Endpoint, findEnabledEndpoints, upsertFailures } from './endpoints-sql.ts'
import { publishOutbox } from './publish-outbox.ts'
import { type AttemptOutcome, decideDelivery, maxFailingSeconds, maxPauseSeconds, publicId } from './rules.ts'
import { signedHeaders } from './signature.ts'
import { disableEndpoint } from './webhooks.ts'

/**
 * Publishes the outbox and sends due deliveries. Each endpoint has its own queue with its own connections and its own
 * concurrency limit, so a slow endpoint delays only itself. Deliveries are leased: when a worker dies, another one
 * sends them after the lease ends.
 */
const maxConcurrentAttempts = 8
/** A failing endpoint gets one attempt at a time until one succeeds. */
const maxConcurrentAttemptsWhileFailing = 1
const leaseSeconds = 60
const deadlineMilliseconds = 15_000
const maxResponseBytes = 4096
const maxStoredBytes = 1024
const busyMilliseconds = 25
const idleMilliseconds = 100
const drainMilliseconds = 2000
/** The maximum time until a new or changed endpoint is noticed. */
const refreshMilliseconds = 250

/** Makes the leased deliveries of a killed process due again. */
export async function releaseLeasedDeliveries({ db, clock }: Ctx, deadProcess: string): Promise<void> {
  const now = clock.now()
  await releaseDeliveries(db, deadProcess, now, addSeconds(now, leaseSeconds))
}

type EndpointQueue = {
  endpoint: Endpoint
  readonly channel: Channel
  inFlight: number
  failingSince: Date | null
}

/** Publishes and delivers events until the signal aborts. */
export async function deliverEvents(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const queues = new Map<string, EndpointQueue>()
  const attempts = new Set<Promise<void>>()
  const results: AttemptResult[] = []
  /** The endpoints of the attempts that failed since the last round, and those that work again. */
  const changedHealth = { failing: new Map<string, Endpoint>(), working: new Set<string>() }

  let refreshedAt = Number.NEGATIVE_INFINITY
  async function refreshQueues(): Promise<void> {
    if (performance.now() - refreshedAt < refreshMilliseconds) return
    refreshedAt = performance.now()
    const endpoints = new Map((await findEnabledEndpoints(ctx.db)).map((each) => [each.endpointId, each]))
    for (const [endpointId, queue] of queues) {
      if (endpoints.has(endpointId)) continue
      // Attempts in flight continue. A suspended partner's deliveries wait, so the queue must start no new attempt.
      queue.endpoint = { ...queue.endpoint, status: 'disabled' }
      if (queue.inFlight > 0) continue
      queue.channel.close()
      queues.delete(endpointId)
    }
    for (const [endpointId, endpoint] of endpoints) {
      const queue = queues.get(endpointId)
      if (queue) Object.assign(queue, { endpoint, failingSince: endpoint.failingSince })
      else queues.set(endpointId, openQueue(ctx, endpoint))
    }
  }

  async function startDueDeliveries(): Promise<number> {
    const capacities = [...queues.values()].flatMap(({ endpoint, inFlight, failingSince }) => {
      const limit = failingSince === null ? maxConcurrentAttempts : maxConcurrentAttemptsWhileFailing
      const free = limit - inFlight
      return free > 0 && endpoint.status === 'enabled' ? [{ endpointId: endpoint.endpointId, free }] : []
    })
    const now = ctx.clock.now()
    const due = capacities.length === 0 ? [] : await scanDueDeliveries(ctx.db, capacities, now)
    if (due.length === 0) return 0
    const leased = await leaseDeliveries(ctx.db, due, {
      now,
      leaseUntil: addSeconds(now, leaseSeconds),
      leasedBy: ctx.processId,
    })
    for (const delivery of leased) {
      const queue = queues.get(delivery.endpointId)
      if (queue === undefined) continue
      const attempt = attemptDelivery(queue, delivery).catch((error) =>
        ctx.log.error({ err: error, endpointId: delivery.endpointId }, 'webhook attempt failed unexpectedly'),
      )
      attempts.add(attempt)
      void attempt.finally(() => attempts.delete(attempt))
    }
    return leased.length
  }

  async function attemptDelivery(queue: EndpointQueue, delivery: LeasedDelivery): Promise<void> {
    queue.inFlight++
    try {
      const { endpoint } = queue
      const { attemptedAt } = delivery
      const began = performance.now()
      const { text, ...outcome } = await send(ctx, queue, delivery)
      const milliseconds = Math.round(performance.now() - began)
      const decision = decideDelivery(outcome, delivery.attempts, Math.random())
      ctx.metrics.webhookAttempts.inc({ outcome: decision.kind })
      const now = ctx.clock.now()
      results.push({
        endpointId: endpoint.endpointId,
        position: delivery.position,
        attemptId: newId(attemptedAt),
        attempts: delivery.attempts,
        attemptedAt,
        milliseconds,
        response: text === null ? null : storedResponse(text),
        status: decision.kind === 'retry' ? 'pending' : decision.kind,
        dueAt: decision.kind === 'retry' ? addSeconds(now, decision.afterSeconds) : null,
        responseStatus: outcome.status,
        error: outcome.status === null ? outcome.error : null,
      })
      if (decision.kind === 'delivered') {
        if (queue.failingSince !== null) changedHealth.working.add(endpoint.endpointId)
        queue.failingSince = null
        return
      }
      if (decision.kind === 'dead' && decision.isGone) return await disableEndpoint(ctx, endpoint, 'gone')
      changedHealth.failing.set(endpoint.endpointId, endpoint)
      queue.failingSince ??= now
    } finally {
      queue.inFlight--
    }
  }

  /** Writes the results of all attempts that ended since the last round, in one batch. Disables failing endpoints. */
  async function writeResults(): Promise<void> {
    const [ended, failing, working] = [results.splice(0), new Map(changedHealth.failing), [...changedHealth.working]]
    changedHealth.failing.clear()
    changedHealth.working.clear()
    if (ended.length > 0) {
      // A reader that finds a delivery ended must also find its last attempt. So the attempt comes first.
      await insertAttempts(ctx.db, ended)
      await recordAttempts(ctx.db, ended)
    }
    if (working.length > 0) await deleteFailures(ctx.db, working)
    if (failing.size === 0) return
    const now = ctx.clock.now()
    const failures = await upsertFailures(ctx.db, [...failing.keys()], now, addSeconds(now, -maxPauseSeconds))
    for (const { endpointId, failingSince } of failures) {
      const attempted = failing.get(endpointId)
      if (attempted !== undefined && addSeconds(failingSince, maxFailingSeconds) <= now)
        await disableEndpoint(ctx, attempted, 'failing')
    }
  }

  async function runRound(): Promise<boolean> {
    await writeResults()
    await refreshQueues()
    const started = await startDueDeliveries()
    return started + attempts.size > 0
  }

  let published = new AbortController()
  async function publish(node: DataNode): Promise<number> {
    const count = await publishOutbox(ctx, node)
    if (count > 0) published.abort()
    return count
  }
  const outbox = { name: 'the outbox', busyMilliseconds, idleMilliseconds }
  const publishing = loopOverNodes(ctx, ['event'], outbox, publish, signal)
  signal.addEventListener('abort', () => published.abort(), { once: true })

  while (!signal.aborted) {
    // Events that are published during the round end the next pause.
    published = new AbortController()
    const pause = published.signal
    const isBusy = await runRound().catch((error: unknown) => {
      ctx.log.error({ err: error }, 'webhook delivery round failed')
      return false
    })
    await delay(isBusy ? busyMilliseconds : idleMilliseconds, undefined, { signal: pause }).catch(() => {})
  }
  await publishing
  await Promise.race([Promise.all(attempts), delay(drainMilliseconds, undefined, { ref: false })])
  await writeResults()
  for (const { channel } of queues.values()) channel.close()
}

function openQueue(ctx: Ctx, endpoint: Endpoint): EndpointQueue {
  const channel = openChannel({
    mayReachPrivate: ctx.config.allowsPrivateWebhooks,
    maxConnections: maxConcurrentAttempts,
    deadlineMilliseconds,
    maxBytes: maxResponseBytes,
  })
  return { endpoint, channel, inFlight: 0, failingSince: endpoint.failingSince }
}

async function send(
  ctx: Ctx,
  { endpoint, channel }: EndpointQueue,
  { eventId, body }: LeasedDelivery,
): Promise<AttemptOutcome & { readonly text: string | null }> {
  // Receivers compare the timestamp with their own clock, so it must not follow the sandbox's movable clock.
  const timestamp = Math.floor(systemClock.now().getTime() / 1000)
  const signed = signedHeaders(signingKeysOf(ctx, endpoint), { id: publicId(eventId), timestamp, body })
  const headers = { 'content-type': 'application/json', 'user-agent': 'Purser-Webhooks/1', ...signed }
  try {
    const response = await channel.send(endpoint.url, { method: 'POST', headers, body })
    return { status: response.status, retryAfterSeconds: retryAfterSeconds(response.retryAfter), text: response.text }
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : 'failed', text: null }
  }
}

/** Returns the beginning of a response. PostgreSQL cannot store U+0000. */
function storedResponse(text: string): string {
  return Buffer.from(text).subarray(0, maxStoredBytes).toString().replaceAll('\0', '\ufffd')
}
