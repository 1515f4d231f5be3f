import { setTimeout as delay } from 'node:timers/promises'
import { chooseAction, type Scene } from './actions.ts'
import type { SoakUser } from './users.ts'

type Traffic = { readonly actions: number; readonly skipped: number; readonly seconds: number }

type Duration = {
  /** Actions per second. */
  readonly rate: number
  readonly seconds: number
  /** Ends the traffic early. */
  readonly signal?: AbortSignal
}

/** Starts actions at the rate, each by a user who is free. Skips those for which no user is free. */
export async function runTraffic(
  scene: Scene,
  users: readonly SoakUser[],
  { rate, seconds, signal }: Duration,
): Promise<Traffic> {
  const startedAt = performance.now()
  const running = new Set<Promise<void>>()
  let [actions, skipped] = [0, 0]
  const elapsed = () => (performance.now() - startedAt) / 1000
  while (elapsed() < seconds && !signal?.aborted) {
    for (const due = elapsed() * rate; actions + skipped < due; ) {
      const free = users.filter(({ isBusy }) => !isBusy)
      const user = free[Math.floor(scene.random() * free.length)]
      if (user === undefined) {
        skipped++
        continue
      }
      actions++
      const action = start(scene, user)
      running.add(action)
      void action.finally(() => running.delete(action))
    }
    await delay(20)
  }
  const took = elapsed()
  await Promise.all(running)
  return { actions, skipped, seconds: took }
}

async function start(scene: Scene, user: SoakUser): Promise<void> {
  user.isBusy = true
  const action = chooseAction(scene.random)
  try {
    await action(scene, user)
  } catch (error) {
    scene.requests.reportUnexpected(`${action.name}: ${error instanceof Error ? error.stack : error}`)
  } finally {
    user.isBusy = false
  }
}
