import type { Tx } from '../platform/db/db.ts'

/** Locks the head of a log, and creates it for the first record. */
export async function lockHead(tx: Tx, log: string): Promise<{ readonly seq: bigint; readonly mac: Buffer }> {
  const [head] = await tx.query<{ seq: bigint; mac: Buffer }>(
    `insert into sealed_log (log, seq, mac, head_mac) values ($1, 0, '', '')
     on conflict (log) do update set seq = sealed_log.seq returning seq, mac`,
    [log],
  )
  if (!head) throw new Error(`the log ${log} has no head`)
  return head
}

export async function updateHead(
  tx: Tx,
  log: string,
  { seq, mac, headMac }: { seq: bigint; mac: Buffer; headMac: Buffer },
): Promise<void> {
  await tx.query('update sealed_log set seq = $2, mac = $3, head_mac = $4 where log = $1', [log, seq, mac, headMac])
}
