import { openDb } from '../../server/src/platform/db/db.ts'
import { embeddedConnection } from '../../server/src/sandbox/embedded-postgres.ts'
import type { Service } from './service.ts'

/** Changes a row as the owner of the database, bypassing the rules of the service. The SQL must return one row. */
export async function falsify({ folder }: Service, sql: string, values: readonly unknown[]): Promise<void> {
  const settings = { databasePoolSize: 1, databasePrepared: false, databaseDistributed: false }
  const db = openDb(embeddedConnection(folder), settings, () => undefined)
  try {
    const rows = await db.query(sql, [...values])
    if (rows.length !== 1) throw new Error(`${rows.length} rows were changed`)
  } finally {
    await db.stop()
  }
}
