import type { Pipeline } from './pipeline.ts'

export type Failover = {
  /** Runs `use` with the connection that should take the next statement. */
  send<T>(use: (pipeline: Pipeline) => Promise<T>): Promise<T>
  end(): Promise<void>
}

type Role = 'primary' | 'standby'

/** Holds the pipeline itself once it is open, so that a read does not wait for another promise. */
type Slot = { pipeline: Pipeline | Promise<Pipeline> }

/**
 * Sends all statements to one connection, and to a second one only while the first is stalled. Each connection is
 * opened when first needed, and reopened after it has ended.
 */
export function openFailover(open: (onEnd: () => void) => Promise<Pipeline>): Failover {
  const slots = new Map<Role, Slot>()

  function pipelineOf(role: Role): Slot['pipeline'] {
    const known = slots.get(role)
    if (known) return known.pipeline
    const evict = () => {
      if (slots.get(role) === slot) slots.delete(role)
    }
    const opening = open(evict)
    const slot: Slot = { pipeline: opening }
    slots.set(role, slot)
    opening.then((pipeline) => {
      slot.pipeline = pipeline
    }, evict)
    return opening
  }

  function next(): Slot['pipeline'] {
    const primary = pipelineOf('primary')
    return !(primary instanceof Promise) && primary.isStalled() ? pipelineOf('standby') : primary
  }

  return {
    send(use) {
      const pipeline = next()
      return pipeline instanceof Promise ? pipeline.then(use) : use(pipeline)
    },
    async end() {
      await Promise.allSettled([...slots.values()].map(async ({ pipeline }) => (await pipeline).end()))
    },
  }
}
