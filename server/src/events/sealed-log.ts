import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { deriveKeys, type Keys } from '../platform/crypto/derive-key.ts'
import type { Tx } from '../platform/db/db.ts'
import { lockHead, updateHead } from './sealed-log-sql.ts'

/**
 * Logs of decisions that nobody may change unnoticed: operator decisions, and the audit log of each partner. Owns
 * `sealed_log`. Each record has a MAC over its fields and the MAC before it. The head has a MAC over the number of the
 * last record, which reveals that records were removed from the end. The key is not in the database.
 *
 * Invariant: a log is numbered from 1 without gaps, because its head is locked until the record is committed.
 */
type Field = string | number | bigint
type SealCtx = { readonly config: Pick<Config, 'secrets'> }

export const decisionLog = 'operator_decision'
export const auditLog = (partnerId: string) => `partner_audit:${partnerId}`

/** Returns the time as the database stores it, in microseconds since 1970. */
export function microsOf(at: Date): bigint {
  return BigInt(at.getTime()) * 1000n
}

/** Seals the next record of a log. Call it in the transaction that inserts the record. */
export async function sealRecord(
  { config }: SealCtx,
  tx: Tx,
  log: string,
  fields: readonly Field[],
): Promise<{ readonly seq: bigint; readonly mac: Buffer }> {
  const [key] = logKeys(config)
  const head = await lockHead(tx, log)
  const seq = head.seq + 1n
  const mac = recordMac(key, log, { seq, before: head.mac, fields })
  await updateHead(tx, log, { seq, mac, headMac: headMac(key, log, seq, mac) })
  return { seq, mac }
}

export type SealedRecord = { readonly seq: bigint; readonly mac: Buffer; readonly fields: readonly Field[] }
export type Head = { readonly seq: bigint; readonly mac: Buffer; readonly headMac: Buffer }
export type BadRecord = { readonly key: string; readonly wrong: string }

/** Returns a check that takes a log's records in order, and then its head. */
export function logChecker({ config }: SealCtx, log: string) {
  const keys = logKeys(config)
  let last: { readonly seq: bigint; readonly mac: Buffer } = { seq: 0n, mac: noMac }
  return {
    record({ seq, mac, fields }: SealedRecord): BadRecord[] {
      const bad = (wrong: string) => [{ key: `${log} ${seq}`, wrong }]
      const before = last
      last = { seq, mac }
      if (seq !== before.seq + 1n) return bad(`the records after ${before.seq} and before ${seq} are missing`)
      const isGood = keys.some((key) => isSame(mac, recordMac(key, log, { seq, before: before.mac, fields })))
      return isGood ? [] : bad('its MAC does not fit: it, or the record before it, was changed')
    },
    head(head: Head | null): BadRecord[] {
      const bad = (wrong: string) => [{ key: log, wrong }]
      if (head === null) return last.seq === 0n ? [] : bad('the head of the log is missing')
      if (head.seq !== last.seq) return bad(`the log ends at ${last.seq}, but its head at ${head.seq}`)
      const isGood = keys.some((key) => isSame(head.headMac, headMac(key, log, head.seq, last.mac)))
      return isGood ? [] : bad('the MAC of the head does not fit')
    },
  }
}

const noMac = Buffer.alloc(0)

function logKeys(config: Pick<Config, 'secrets'>): Keys {
  return deriveKeys(config.secrets, 'sealed logs')
}

function recordMac(
  key: KeyObject,
  log: string,
  { seq, before, fields }: { seq: bigint; before: Buffer; fields: readonly Field[] },
): Buffer {
  return macOf(key, ['record', log, seq, before.toString('hex'), ...fields])
}

function headMac(key: KeyObject, log: string, seq: bigint, mac: Buffer): Buffer {
  return macOf(key, ['head', log, seq, mac.toString('hex')])
}

/** JSON separates the fields, so different lists of fields never have the same text. */
function macOf(key: KeyObject, fields: readonly Field[]): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(fields.map(String)))
    .digest()
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
