import { secondsSince } from '../lib/clock.ts'
import type { Chore } from '../platform/jobs/jobs.ts'
import { deliverEvents } from './delivery.ts'
import { forgetOldEvents } from './read-events.ts'
import { scanDueGauges } from './sql.ts'

/** Runs until the worker stops: webhooks wait for no other work, and no other work for them. */
export const webhookChore: Chore = { name: 'deliver webhooks', everySeconds: () => 1, run: deliverEvents }

export const oldEventsChore: Chore = { name: 'forget old events', everySeconds: () => 3600, run: forgetOldEvents }

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
