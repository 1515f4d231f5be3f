import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import { addSeconds, systemClock } from '../lib/clock.ts'
import { type Channel, openChannel } from '../platform/net/outbound.ts'
import { retryAfterSeconds } from '../platform/net/retry-after.ts'
import { relayEvents } from './publish-outbox.ts'
import { giveUpSeconds, judge, type Outcome, publicId } from './rules.ts'
import { signedHeaders } from './signature.ts'
import {
  type Claimed,
  claimDeliveries,
  type Endpoint,
  findEnabledEndpoints,
  type Settled,
  scanDueDeliveries,
  setFailing,
  settleDeliveries,
} from './sql.ts'
import { giveUpOn, signingKeysOf } from './webhooks.ts'

/**
 * Sends what is due. Each endpoint has a line of its own, with its own connections and its own room: whoever is slow
 * fills only their own line. What is claimed is leased: a worker that dies delays its deliveries, and loses none.
 */
const mostAtOnce = 8
/** Whoever fails gets one try at a time, until one succeeds. */
const mostAtOnceWhileFailing = 1
const leaseSeconds = 60
const deadlineMilliseconds = 15_000
const mostAnswerBytes = 4096
const busyMilliseconds = 25
const idleMilliseconds = 100
const farewellMilliseconds = 2000
/** How long a new or changed endpoint may take to count. */
const refreshMilliseconds = 250

type Line = {
  endpoint: Endpoint
  readonly channel: Channel
  inFlight: number
  failingSince: Date | null
}

/** Until the signal: from the outboxes to the logs, from the logs to the endpoints. */
export async function deliverEvents(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const lines = new Map<string, Line>()
  const attempts = new Set<Promise<void>>()
  const settled: Settled[] = []
  const turned = { failing: new Set<string>(), working: new Set<string>() }

  let refreshedAt = Number.NEGATIVE_INFINITY
  async function refreshLines(): Promise<void> {
    if (performance.now() - refreshedAt < refreshMilliseconds) return
    refreshedAt = performance.now()
    const endpoints = new Map((await findEnabledEndpoints(ctx.db)).map((each) => [each.endpointId, each]))
    for (const [endpointId, { channel, inFlight }] of lines) {
      if (endpoints.has(endpointId) || inFlight > 0) continue
      channel.close()
      lines.delete(endpointId)
    }
    for (const [endpointId, endpoint] of endpoints) {
      const line = lines.get(endpointId)
      if (line) Object.assign(line, { endpoint, failingSince: endpoint.failingSince })
      else lines.set(endpointId, newLine(ctx, endpoint))
    }
  }

  async function startDue(): Promise<number> {
    const room = [...lines.values()].flatMap(({ endpoint, inFlight, failingSince }) => {
      const free = (failingSince === null ? mostAtOnce : mostAtOnceWhileFailing) - inFlight
      return free > 0 && endpoint.status === 'enabled' ? [{ endpointId: endpoint.endpointId, free }] : []
    })
    const now = ctx.clock.now()
    const due = room.length === 0 ? [] : await scanDueDeliveries(ctx.db, room, now)
    if (due.length === 0) return 0
    const claimed = await claimDeliveries(ctx.db, due, { now, leaseUntil: addSeconds(now, leaseSeconds) })
    for (const delivery of claimed) {
      const line = lines.get(delivery.endpointId)
      if (line === undefined) continue
      const attempt = attemptDelivery(line, delivery).catch((error) =>
        ctx.log.error({ err: error }, 'an attempt failed'),
      )
      attempts.add(attempt)
      void attempt.finally(() => attempts.delete(attempt))
    }
    return claimed.length
  }

  async function attemptDelivery(line: Line, delivery: Claimed): Promise<void> {
    line.inFlight++
    try {
      const { endpoint } = line
      const outcome = await send(ctx, line, delivery)
      const verdict = judge(outcome, delivery.attempts, Math.random())
      ctx.metrics.webhookAttempts.inc({ outcome: verdict.kind })
      const now = ctx.clock.now()
      settled.push({
        endpointId: endpoint.endpointId,
        position: delivery.position,
        attempts: delivery.attempts,
        status: verdict.kind === 'retry' ? 'pending' : verdict.kind,
        dueAt: verdict.kind === 'retry' ? addSeconds(now, verdict.afterSeconds) : null,
        responseStatus: outcome.status,
        error: outcome.status === null ? outcome.error : null,
      })
      if (verdict.kind === 'delivered') {
        if (line.failingSince !== null) turned.working.add(endpoint.endpointId)
        line.failingSince = null
        return
      }
      if (verdict.kind === 'dead' && verdict.isGone) return await giveUpOn(ctx, endpoint, 'gone')
      if (line.failingSince === null) turned.failing.add(endpoint.endpointId)
      line.failingSince ??= now
      if (addSeconds(line.failingSince, giveUpSeconds) <= now) await giveUpOn(ctx, endpoint, 'failing')
    } finally {
      line.inFlight--
    }
  }

  /** What came of many attempts is written at once. */
  async function writeOutcomes(): Promise<void> {
    const [outcomes, failing, working] = [settled.splice(0), [...turned.failing], [...turned.working]]
    turned.failing.clear()
    turned.working.clear()
    if (outcomes.length > 0) await settleDeliveries(ctx.db, outcomes)
    if (failing.length > 0) await setFailing(ctx.db, failing, ctx.clock.now())
    if (working.length > 0) await setFailing(ctx.db, working, null)
  }

  async function round(): Promise<boolean> {
    await writeOutcomes()
    await refreshLines()
    const relayed = await relayEvents(ctx)
    const started = await startDue()
    return relayed + started + attempts.size > 0
  }

  while (!signal.aborted) {
    const isBusy = await round().catch((error: unknown) => {
      ctx.log.error({ err: error }, 'a round of webhook deliveries failed')
      return false
    })
    await delay(isBusy ? busyMilliseconds : idleMilliseconds, undefined, { signal }).catch(() => {})
  }
  await Promise.race([Promise.all(attempts), delay(farewellMilliseconds, undefined, { ref: false })])
  await writeOutcomes()
  for (const { channel } of lines.values()) channel.close()
}

function newLine(ctx: Ctx, endpoint: Endpoint): Line {
  const channel = openChannel({
    mayReachPrivate: ctx.config.mode === 'sandbox',
    maxConnections: mostAtOnce,
    deadlineMilliseconds,
    maxBytes: mostAnswerBytes,
  })
  return { endpoint, channel, inFlight: 0, failingSince: endpoint.failingSince }
}

async function send(ctx: Ctx, { endpoint, channel }: Line, { eventId, body }: Claimed): Promise<Outcome> {
  // The receiver holds the timestamp against its own clock, which the sandbox's does not move.
  const timestamp = Math.floor(systemClock.now().getTime() / 1000)
  const signed = signedHeaders(signingKeysOf(ctx, endpoint), { id: publicId(eventId), timestamp, body })
  const headers = { 'content-type': 'application/json', 'user-agent': 'Purser-Webhooks/1', ...signed }
  try {
    const answer = await channel.send(endpoint.url, { method: 'POST', headers, body })
    return { status: answer.status, retryAfterSeconds: retryAfterSeconds(answer.retryAfter) }
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : 'failed' }
  }
}
