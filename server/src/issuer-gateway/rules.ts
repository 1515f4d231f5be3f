import type { DeclineCode } from '../card-transactions/rules.ts'
import type { SigningKey } from '../lib/body-signature.ts'

/** What an issuer message claims of its signature; `candidates` are hex texts, one of which must be right. */
export type Claim = { readonly keyId: string; readonly timestamp: string; readonly candidates: readonly string[] }

const mostCandidates = 8

/** `v1=<hex>[,v1=<hex>]`; entries of another version are passed over. null: a header is missing or says nothing. */
export function readClaim(headers: Readonly<Record<string, string | string[] | undefined>>): Claim | null {
  const [keyId, timestamp, signature] = ['x-issuer-key-id', 'x-issuer-timestamp', 'x-issuer-signature'].map(
    (name) => headers[name],
  )
  if (typeof keyId !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return null
  if (!/^[0-9]{1,12}$/.test(timestamp)) return null
  const candidates = signature
    .split(',', mostCandidates)
    .flatMap((entry) => /^\s*v1=([0-9a-f]{64})\s*$/i.exec(entry)?.[1] ?? [])
  return candidates.length === 0 ? null : { keyId, timestamp, candidates }
}

export const replayWindowSeconds = 300

export function isTimely({ timestamp }: Claim, now: Date): boolean {
  return Math.abs(now.getTime() - Number(timestamp) * 1000) <= replayWindowSeconds * 1000
}

export function secretOf(keys: readonly SigningKey[], { keyId }: Claim): string | null {
  return keys.find(({ id }) => id === keyId)?.secret ?? null
}

/** ISO 8583 data element 39 (1987 edition) of an approval. */
export const approvedCodes = { full: '00', partial: '10' } as const

/** … and of each reason for a decline; those that are not decided yet have their place all the same. */
export const responseCodes: Readonly<Record<DeclineCode | 'PFT' | 'LIM' | 'VEL' | 'MCC' | 'CTY', string>> = {
  FR7: '14',
  FRB: '62',
  UBT: '62',
  BND: '14',
  BNP: '41',
  BNR: '43',
  VNM: '54',
  CNC: '78',
  CND: '62',
  PFT: '59',
  LIM: '61',
  VEL: '65',
  MCC: '57',
  CTY: '57',
  TMO: '68',
  CLO: '12',
  '810': '51',
}

export const cardEventTypes = ['activated', 'blocked', 'unblocked', 'lost', 'stolen', 'expired'] as const
export type CardEventType = (typeof cardEventTypes)[number]

/** Whether a newer event has had its say already. What ends a card ends it whenever it arrives. */
export function isOutdated(type: CardEventType, occurredAt: Date, newest: Date | null): boolean {
  const isEnd = type === 'lost' || type === 'stolen' || type === 'expired'
  return !isEnd && newest !== null && newest > occurredAt
}
