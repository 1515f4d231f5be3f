import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import type { PartnerCaller } from '../platform/http/access.ts'
import { findPositions } from './sql.ts'

/**
 * Long polls: requests that wait until their partner's log grows. A waiting request holds no connection of the
 * database: one query per poll reads the positions of all logs that somebody waits for. Anybody can sign up as a
 * partner, so pending partners share a lower limit.
 */
const maxWaiting = 200
const maxWaitingPending = 50
const maxWaitingPerPartner = 5
const retrySeconds = 5
const pollMilliseconds = 250

type WaitingPartner = Pick<PartnerCaller, 'partnerId' | 'status'>
type Waiter = WaitingPartner & { readonly position: bigint; readonly wake: () => void }

export type LogWaiters = {
  /** Returns the last position of a log. Read it before the log itself, so that no event is missed in between. */
  positionOf(partnerId: string): Promise<bigint>
  /** Waits until the log grows beyond the position, the signal aborts or the service stops. */
  waitBeyond(partner: WaitingPartner, position: bigint, signal: AbortSignal): Promise<void>
  /** Wakes everybody. Later calls do not wait. */
  stop(): void
  isStopped(): boolean
}

export function createLogWaiters({ db, log }: Pick<Ctx, 'db' | 'log'>): LogWaiters {
  const waiting = new Set<Waiter>()
  const stopping = new AbortController()
  let isPolling = false

  async function poll(): Promise<void> {
    const positions = await findPositions(db, [...new Set([...waiting].map(({ partnerId }) => partnerId))])
    for (const { partnerId, position, wake } of waiting) if ((positions.get(partnerId) ?? 0n) > position) wake()
  }

  /** Polls for as long as anybody waits. */
  async function keepPolling(): Promise<void> {
    if (isPolling) return
    isPolling = true
    while (waiting.size > 0) {
      await poll().catch((error: unknown) => log.warn({ err: error }, 'event logs could not be polled'))
      await delay(pollMilliseconds, undefined, { signal: stopping.signal }).catch(() => {})
    }
    isPolling = false
  }

  return {
    positionOf: async (partnerId) => (await findPositions(db, [partnerId])).get(partnerId) ?? 0n,
    async waitBeyond({ partnerId, status }, position, signal) {
      const own = [...waiting].filter((waiter) => waiter.partnerId === partnerId)
      const pending = [...waiting].filter((waiter) => waiter.status === 'pending')
      const isFull = waiting.size >= maxWaiting || (status === 'pending' && pending.length >= maxWaitingPending)
      if (isFull || own.length >= maxWaitingPerPartner) throw new Refusal('RATE_LIMITED', retrySeconds)
      const ends = AbortSignal.any([signal, stopping.signal])
      if (ends.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const waiter = { partnerId, status, position, wake }
      waiting.add(waiter)
      ends.addEventListener('abort', wake, { once: true })
      void keepPolling()
      await promise
      waiting.delete(waiter)
      ends.removeEventListener('abort', wake)
    },
    stop: () => stopping.abort(),
    isStopped: () => stopping.signal.aborted,
  }
}
