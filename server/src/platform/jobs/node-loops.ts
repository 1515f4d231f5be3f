import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import type { DataNode } from '../db/nodes.ts'
import { shortageOf } from '../db/shortage.ts'

/** The pause after a failure. Also the maximum time until rows are found on the node to which they were moved. */
const refreshMilliseconds = 1_000

/** The pauses after a round that found work, and after one that found none. */
type Pace = { readonly name: string; readonly busyMilliseconds: number; readonly idleMilliseconds: number }

/**
 * Repeats a round on each node that has rows of the tables, until the signal aborts. Each node has a loop of its own,
 * so that a node that is down does not stop the work of the others.
 */
export async function loopOverNodes(
  ctx: Ctx,
  tables: readonly string[],
  { name, busyMilliseconds, idleMilliseconds }: Pace,
  round: (node: DataNode) => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  const nodes = new Map<string, DataNode>()
  const loops = new Map<string, Promise<void>>()

  /** Ends when the node no longer has rows of the tables. */
  async function loopOver(key: string): Promise<void> {
    for (let node = nodes.get(key); node !== undefined && !signal.aborted; node = nodes.get(key)) {
      let pause = busyMilliseconds
      try {
        if ((await round(node)) === 0) pause = idleMilliseconds
      } catch (error) {
        logFailure(error, key)
        pause = refreshMilliseconds
      }
      if (pause > 0) await delay(pause, undefined, { signal }).catch(() => {})
    }
    loops.delete(key)
  }

  function logFailure(error: unknown, node: string): void {
    // A shortage is already logged once a minute.
    if (shortageOf(error) === null) ctx.log.error({ err: error, node }, `round of ${name} failed`)
  }

  while (!signal.aborted) {
    try {
      const found = await ctx.db.nodes(tables)
      nodes.clear()
      for (const node of found) nodes.set(node.name, node)
    } catch (error) {
      logFailure(error, 'DATABASE_URL')
    }
    for (const key of nodes.keys()) if (!loops.has(key)) loops.set(key, loopOver(key))
    await delay(refreshMilliseconds, undefined, { signal }).catch(() => {})
  }
  await Promise.all(loops.values())
}
