// pure
import type { DeclineCode } from '../transactions/rules.ts'

/** The source of the processor's messages, under which event ids are unique. */
export const issuerSource = 'issuer'

/** The response codes of an approval: ISO 8583:1987, data element 39. */
export const approvedCodes = { full: '00', partial: '10' } as const

/** The response code of each decline code. `PFT` (suspected fraud) is reserved: no check declines with it. */
export const responseCodes: Readonly<Record<DeclineCode | 'PFT', string>> = {
  FR7: '14',
  // Not 91 (issuer unavailable): networks may then approve on the issuer's behalf.
  OFF: '05',
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

/** Whether an event ends the card. */
const isEnd: Readonly<Record<CardEventType, boolean>> = {
  activated: false,
  blocked: false,
  unblocked: false,
  lost: true,
  stolen: true,
  expired: true,
}

/** Returns whether the event is older than the card's newest one. Events that end a card are never outdated. */
export function isOutdated(type: CardEventType, occurredAt: Date, newest: Date | null): boolean {
  return !isEnd[type] && newest !== null && newest > occurredAt
}
