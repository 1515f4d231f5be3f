// pure
import type { DeclineCode } from '../transactions/rules.ts'

/** ISO 8583:1987 data element 39 for an approval. */
export const approvedCodes = { full: '00', partial: '10' } as const

/** The same element for each decline code. No rule gives `PFT` yet. */
export const responseCodes: Readonly<Record<DeclineCode | 'PFT', string>> = {
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

/** Returns whether a newer event of the card was applied. An event that ends a card applies whenever it arrives. */
export function isOutdated(type: CardEventType, occurredAt: Date, newest: Date | null): boolean {
  const isEnd = type === 'lost' || type === 'stolen' || type === 'expired'
  return !isEnd && newest !== null && newest > occurredAt
}
