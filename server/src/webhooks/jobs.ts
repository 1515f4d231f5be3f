import { secondsSince } from '../lib/clock.ts'
import type { Chore } from '../platform/jobs/jobs.ts'
import { scanDueGauges } from './deliveries-sql.ts'
import { deliverEvents } from './delivery.ts'
import { deleteExpiredEvents } from './read-events.ts'
import { endRemainingDeliveries } from './webhooks.ts'

/** Runs until the worker stops. As a chore of its own, it does not block other work. */
export const webhookChore: Chore = { name: 'deliver webhooks', everySeconds: () => 1, run: deliverEvents }

export const expiredEventsChore: Chore = {
  name: 'delete expired events',
  everySeconds: () => 3600,
  run: deleteExpiredEvents,
}

export const deliveryEndChore: Chore = {
  name: 'end deliveries of stopped endpoints',
  everySeconds: () => 60,
  run: endRemainingDeliveries,
}

export const webhookGauges: Chore = {
  name: 'measure webhooks',
  everySeconds: () => 60,
  async run({ db, clock, metrics }) {
    const now = clock.now()
    const { waiting, oldest, dead } = await scanDueGauges(db, now)
    metrics.webhooksWaiting.set(Number(waiting))
    metrics.webhooksDead.set(Number(dead))
    metrics.webhooksOverdueSeconds.set(secondsSince(oldest, now))
  },
}
