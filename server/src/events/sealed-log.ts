import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { deriveKeys, type Keys, secretId } from '../platform/crypto/derive-key.ts'
import type { Db, Queryable, Tx } from '../platform/db/db.ts'
import {
  countOldHeads,
  findEnds,
  findHead,
  findLogNames,
  type Head,
  insertHead,
  lockHead,
  updateHead,
} from './sealed-log-sql.ts'

/**
 * Logs of decisions that nobody may change unnoticed: operator decisions, and the audit log of each partner. Owns
 * `sealed_log`. Each record has a hash over its fields and the hash before it, and a MAC over the hash. The head has a
 * MAC over the number and hash of the last record. To remove records from the end, an attacker must therefore restore
 * an older head. Only an external copy of the service's log lines reveals that. The key is not in the database. Hashes
 * do not depend on a key, so a rotation of SECRET replaces only the MACs.
 *
 * A log begins with the head of an empty log, so a missing head reveals a removed log. A record is stored even if the
 * head is forged, missing or restored, because a kill switch must always work. The new head then gets no valid MAC.
 *
 * Invariant: a log is numbered from 1 without gaps, because its head is locked until the record is committed.
 */
type Field = string | number | bigint
type SealCtx = { readonly config: Pick<Config, 'secrets' | 'sealsEmptyDecisionLog'> }

export const decisionLog = 'operator_decision'
export const auditLog = (partnerId: string) => `partner_audit:${partnerId}`

/** Returns the time as the database stores it, in microseconds since 1970. */
export function microsOf(at: Date): bigint {
  return BigInt(at.getTime()) * 1000n
}

/** A log that grows. `lastSeq` returns the number of its last stored record, 0 for none. */
export type GrowingLog = { readonly name: string; lastSeq(tx: Tx): Promise<bigint> }

export type RecordSeal = {
  readonly seq: bigint
  readonly hash: Buffer
  readonly mac: Buffer
  readonly secretId: string
}

/** Begins the log of decisions. Call it once, in the transaction of the first start. */
export async function beginDecisionLog(ctx: SealCtx, tx: Tx): Promise<void> {
  if (hasStoredBeginning(ctx, decisionLog)) await beginLog(ctx, tx, decisionLog)
}

/** Stores the head of an empty log. Call it in the transaction that creates the owner of the log. */
export async function beginLog({ config }: SealCtx, tx: Tx, log: string): Promise<void> {
  const empty = { seq: 0n, hash: noHash, secretId: secretId(config.secrets[0]) }
  const [key] = logKeys(config)
  await insertHead(tx, log, { ...empty, mac: macOf(key, 'head', log, empty) })
}

/** Returns whether a log begins with a stored head. The log of decisions of a sandbox begins with its first record. */
function hasStoredBeginning({ config }: SealCtx, log: string): boolean {
  return log !== decisionLog || config.sealsEmptyDecisionLog
}

/** Seals the next record of a log. Call it in the transaction that inserts the record. */
export async function sealRecord(ctx: SealCtx, tx: Tx, log: GrowingLog, fields: readonly Field[]): Promise<RecordSeal> {
  const [seal] = await sealRecords(ctx, tx, log, [fields])
  if (!seal) throw new Error('the record has no seal')
  return seal
}

/** Seals the next records of a log, in their order. */
export async function sealRecords(
  ctx: SealCtx,
  tx: Tx,
  { name: log, lastSeq }: GrowingLog,
  records: readonly (readonly Field[])[],
): Promise<RecordSeal[]> {
  const { config } = ctx
  const keys = logKeys(config)
  const [key] = keys
  const head = await lockHead(tx, log)
  const stored = await lastSeq(tx)
  const begins = head.seq === 0n && !hasStoredBeginning(ctx, log)
  // A new MAC over a forged head would hide the forgery from the check.
  const isGood = stored === head.seq && (begins || isAuthentic(keys, 'head', log, head))
  let { hash } = head
  let seq = stored
  const seals = records.map((fields) => {
    hash = hashRecord(log, { seq: seq + 1n, before: hash, fields })
    seq += 1n
    const sealed = { seq, hash, secretId: secretId(config.secrets[0]) }
    return { ...sealed, mac: macOf(key, 'record', log, sealed) }
  })
  const last = { seq, hash, secretId: secretId(config.secrets[0]) }
  await updateHead(tx, log, { ...last, mac: isGood ? macOf(key, 'head', log, last) : noMac })
  return seals
}

export type SealedRecord = RecordSeal & { readonly fields: readonly Field[] }
export type BadRecord = { readonly key: string; readonly wrong: string }

/** Returns a check that takes a log's records in order, and then its head. */
export function logChecker(ctx: SealCtx, log: string) {
  const keys = logKeys(ctx.config)
  let last: { readonly seq: bigint; readonly hash: Buffer } = { seq: 0n, hash: noHash }
  return {
    record(record: SealedRecord): BadRecord[] {
      const { seq, hash, fields } = record
      const bad = (wrong: string) => [{ key: `${log} ${seq}`, wrong }]
      const before = last
      last = { seq, hash }
      if (seq !== before.seq + 1n) return bad(`the records after ${before.seq} and before ${seq} are missing`)
      const isGood =
        isSame(hash, hashRecord(log, { seq, before: before.hash, fields })) && isAuthentic(keys, 'record', log, record)
      return isGood ? [] : bad('its hash or MAC does not match: it, or the record before it, was changed')
    },
    head(head: Head | null): BadRecord[] {
      const bad = (wrong: string) => [{ key: log, wrong }]
      const mustExist = last.seq !== 0n || hasStoredBeginning(ctx, log)
      if (head === null) return mustExist ? bad('the head of the log is missing') : []
      if (head.seq !== last.seq) return bad(`the log ends at ${last.seq}, but its head names ${head.seq}`)
      const isGood = isSame(head.hash, last.hash) && isAuthentic(keys, 'head', log, head)
      return isGood ? [] : bad('the hash or MAC of the head does not match')
    },
  }
}

/**
 * Returns the record with a MAC of the first secret. Call it for a good record only: a new MAC would hide a forgery.
 */
export function resealRecord({ config }: SealCtx, log: string, record: SealedRecord): SealedRecord {
  const [key] = logKeys(config)
  return { ...record, mac: macOf(key, 'record', log, record), secretId: secretId(config.secrets[0]) }
}

/** Replaces the MACs of all heads, except those that are not authentic. Returns the number of the latter. */
export async function resealHeads({ config, db }: SealCtx & { readonly db: Db }): Promise<{ rejected: number }> {
  const keys = logKeys(config)
  const id = secretId(config.secrets[0])
  let rejected = 0
  for (const log of await findLogNames(db)) {
    await db.transaction(async (tx) => {
      const head = await lockHead(tx, log)
      if (!isAuthentic(keys, 'head', log, head)) rejected++
      else if (head.secretId !== id)
        await updateHead(tx, log, { ...head, mac: macOf(keys[0], 'head', log, head), secretId: id })
    })
  }
  return { rejected }
}

export function countHeadsUnderOldSecrets({ config, db }: SealCtx & { readonly db: Queryable }): Promise<number> {
  return countOldHeads(db, secretId(config.secrets[0]))
}

export { findEnds as readEnds }

export function readHead(db: Queryable, log: string): Promise<Head | null> {
  return findHead(db, log)
}

const noHash = Buffer.alloc(0)
/** No head with it is authentic. */
const noMac = Buffer.alloc(0)

function logKeys(config: Pick<Config, 'secrets'>): Keys {
  return deriveKeys(config.secrets, 'sealed logs')
}

function hashRecord(
  log: string,
  { seq, before, fields }: { seq: bigint; before: Buffer; fields: readonly Field[] },
): Buffer {
  return createHash('sha256')
    .update(encode([log, seq, before.toString('hex'), ...fields]))
    .digest()
}

type Hashed = { readonly seq: bigint; readonly hash: Buffer }

function macOf(key: KeyObject, kind: 'record' | 'head', log: string, { seq, hash }: Hashed): Buffer {
  return createHmac('sha256', key)
    .update(encode([kind, log, seq, hash.toString('hex')]))
    .digest()
}

function isAuthentic(keys: Keys, kind: 'record' | 'head', log: string, sealed: Hashed & { mac: Buffer }): boolean {
  return keys.some((key) => isSame(sealed.mac, macOf(key, kind, log, sealed)))
}

/**
 * JSON separates the fields, so different lists of fields never have the same text. Half a surrogate pair becomes
 * U+FFFD, as in PostgreSQL.
 */
function encode(fields: readonly Field[]): string {
  return JSON.stringify(fields.map((field) => String(field).toWellFormed()))
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
