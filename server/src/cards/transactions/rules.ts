// pure
import type { FigureByMerchantType } from '../../config/card-programme.ts'
import { addSeconds } from '../../lib/clock.ts'
import type { KycStatus } from '../../lib/kyc-status.ts'
import { entryOf } from '../../lib/states.ts'
import type { AccountStatus, UserStatus } from '../../lib/user-status.ts'
import type { CardStatus } from '../cards/rules.ts'
import { figureForMerchant } from './merchant-types.ts'

/** The types of card messages, as the simulator names them. */
export const messageTypes = [
  'authorization',
  'incremental',
  'replacement',
  'reversal',
  'clearing',
  'clearing_cancellation',
  'refund',
  'refund_reversal',
  'advice',
  'expiry',
  'single_message',
] as const
export type MessageType = (typeof messageTypes)[number]

/** How the merchant read the card, as the statement shows it. */
export const entryModes = ['ecommerce', 'chip', 'contactless', 'magstripe', 'manual', 'stored'] as const
export type EntryMode = (typeof entryModes)[number]

/** Types of messages that give money back, or that reverse a refund. */
export type RefundMessageType = 'refund' | 'refund_reversal' | 'clearing_cancellation'

export function isRefundType(type: MessageType): type is RefundMessageType {
  return type === 'refund' || type === 'refund_reversal' || type === 'clearing_cancellation'
}

/** Returns whether the message requests a new payment. If it is declined, the statement shows it as declined. */
export function isOpening(type: MessageType): type is 'authorization' | 'single_message' {
  return type === 'authorization' || type === 'single_message'
}

/** The kinds of card transactions. */
export const transactionKinds = ['Payment', 'Refund', 'Reversal'] as const
export type TransactionKind = (typeof transactionKinds)[number]

export const transactionStatuses = ['pending', 'settled', 'cancelled', 'declined'] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** The outcomes of a card message. A deferred one waits for the message it refers to. */
export const messageOutcomes = ['approved', 'declined', 'deferred'] as const
export type MessageOutcome = (typeof messageOutcomes)[number]

/** The text of each decline code. `standingCode` and `decidePayment` define the order of the checks. */
export const declineMessages = {
  FR7: 'Card not found',
  OFF: 'Card payments are paused',
  FRB: 'Card not activated',
  UBT: 'Card is blocked',
  BND: 'Card is cancelled',
  BNP: 'Card reported lost',
  BNR: 'Card reported stolen',
  VNM: 'Card expired',
  CNC: 'Account cancelled',
  CND: 'Account blocked',
  CLO: 'Authorization closed',
  TMO: 'Decision too late',
  LIM: 'Limit exceeded',
  VEL: 'Too many authorizations',
  MCC: 'Merchant type not allowed',
  CTY: 'Country not allowed',
  '810': 'Insufficient balance',
} as const
export type DeclineCode = keyof typeof declineMessages

/** The states that an authorization is checked against. */
export type Standing = {
  readonly cardStatus: CardStatus
  readonly userStatus: UserStatus
  readonly accountStatus: AccountStatus
  readonly kycStatus: KycStatus
}

type Codes<Status extends string> = Readonly<Record<Status, DeclineCode | null>>

const cardCodes: Codes<CardStatus> = {
  active: null,
  provisioning: 'FRB',
  blocked: 'UBT',
  canceled: 'BND',
  lost: 'BNP',
  stolen: 'BNR',
  expired: 'VNM',
}
const userCodes: Codes<UserStatus> = { active: null, closed: 'CNC' }
const accountCodes: Codes<AccountStatus> = { active: null, provisioning: 'CND', blocked: 'CND', closed: 'CNC' }
const kycCodes: Codes<KycStatus> = {
  approved: null,
  notStarted: 'CND',
  documentsRequested: 'CND',
  pending: 'CND',
  processing: 'CND',
  resubmissionRequested: 'CND',
  requiresAction: 'CND',
  rejected: 'CND',
}

/** Returns the decline code of the first state that forbids a payment, or null. The order of the checks is fixed. */
export function standingCode({ cardStatus, userStatus, accountStatus, kycStatus }: Standing): DeclineCode | null {
  return (
    entryOf(cardCodes, cardStatus) ??
    entryOf(userCodes, userStatus) ??
    entryOf(accountCodes, accountStatus) ??
    entryOf(kycCodes, kycStatus)
  )
}

/** Returns whether Purser decides the message. The network has already decided all others. */
export function mayBeDeclined(type: MessageType): boolean {
  return isOpening(type) || type === 'incremental' || type === 'replacement'
}

/** Returns when a hold expires unless it is cleared. */
export function holdExpiry(lastApprovedAt: Date, mcc: string, holdDays: FigureByMerchantType): Date {
  return addSeconds(lastApprovedAt, figureForMerchant(holdDays, mcc) * 86_400)
}

/** Returns the city, or null for an empty one or a phone number: some acquirers put one there. */
export function cleanCity(city: string | undefined): string | null {
  const trimmed = city?.trim() ?? ''
  return trimmed === '' || /^[+(]?[\d\s().+-]{5,}$/.test(trimmed) ? null : trimmed
}
