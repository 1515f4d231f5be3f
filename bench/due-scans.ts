import { readConfig } from '../server/src/config/config.ts'
import { dueWorks } from '../server/src/due-work.ts'
import { openDb } from '../server/src/platform/db/db.ts'
import { scanOf } from '../server/src/platform/jobs/jobs.ts'
import type { Connection } from './load.ts'

const scans = 200

/** Returns the milliseconds of each scan for due work, by node. A plain database is one node. */
export async function timeScans(connection: Connection, distributed: 'on' | 'off' = 'off'): Promise<number[][]> {
  const db = openDb(connection, readConfig({ DATABASE_DISTRIBUTED: distributed }), () => {})
  try {
    const ofNodes: number[][] = []
    // The nodes are scanned one after the other, because they share the cores here. In production they do not.
    for (const { query, tablesOf } of await db.nodes(dueWorks.map(({ table }) => table))) {
      const took: number[] = []
      for (let i = 0; i < scans; i++) {
        const startedAt = performance.now()
        await query(scanOf(dueWorks, tablesOf), [new Date(0)])
        took.push(performance.now() - startedAt)
      }
      ofNodes.push(took)
    }
    return ofNodes
  } finally {
    await db.stop()
  }
}
