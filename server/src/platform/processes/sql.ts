import type { Queryable } from '../db/db.ts'

export async function findProcess(db: Queryable, address: string): Promise<string | null> {
  const [row] = await db.query<{ processId: string }>(
    'select process_id as "processId" from service_process where address = $1',
    [address],
  )
  return row?.processId ?? null
}

export async function upsertProcess(db: Queryable, address: string, processId: string, now: Date): Promise<void> {
  await db.query(
    `insert into service_process (address, process_id, started_at) values ($1, $2, $3)
     on conflict (address) do update set process_id = excluded.process_id, started_at = excluded.started_at`,
    [address, processId, now],
  )
}

export async function deleteProcess(db: Queryable, address: string, processId: string): Promise<void> {
  await db.query('delete from service_process where address = $1 and process_id = $2', [address, processId])
}
