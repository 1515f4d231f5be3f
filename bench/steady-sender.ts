import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Signed } from './authorizations.ts'

export type SteadyWork = { readonly url: string; readonly signed: readonly Signed[]; readonly perSecond: number }

/** A process of its own that sends authorizations, so that other work of a benchmark does not delay them. */
export type SteadySender = {
  /** Sends at a steady rate. Returns the milliseconds that each took. */
  send(work: SteadyWork): Promise<number[]>
  stop(): void
}

/** Starts a sender. One sender serves all turns of a measure, because a new process is slow at first. */
export function startSteadySender(): SteadySender {
  const child = fork(fileURLToPath(new URL('steady-sender-process.ts', import.meta.url)))
  const ended = once(child, 'exit').then(() => {
    throw new Error('the sender ended')
  })
  // Avoids an unhandled rejection. The code that awaits the promise gets the error.
  ended.catch(() => undefined)
  return {
    async send(work) {
      const answer = once(child, 'message')
      child.send(work)
      const [took] = await Promise.race([answer, ended])
      return took as number[]
    },
    stop: () => child.disconnect(),
  }
}
