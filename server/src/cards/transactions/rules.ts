// pure
import { type ClearingTolerance, type FigureByMerchantType, figureFor } from '../../config/card-programme.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { KycStatus } from '../../lib/kyc-status.ts'
import { max } from '../../lib/money.ts'
import type { AccountStatus, UserStatus } from '../../lib/user-status.ts'
import type { CardStatus } from '../cards/rules.ts'

/** What a network says of a card, as the simulator names it. */
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

/** How the card was read, as the statement shows it. */
export const entryModes = ['ecommerce', 'chip', 'contactless', 'magstripe', 'manual', 'stored'] as const
export type EntryMode = (typeof entryModes)[number]

export type ReturnMessageType = 'refund' | 'refund_reversal' | 'clearing_cancellation'

export function isReturn(type: MessageType): type is ReturnMessageType {
  return type === 'refund' || type === 'refund_reversal' || type === 'clearing_cancellation'
}

/** Asks for a payment; a declined one is a row of its own, for ever. */
export function isOpening(type: MessageType): type is 'authorization' | 'single_message' {
  return type === 'authorization' || type === 'single_message'
}

export type Kind = 'Payment' | 'Refund' | 'Reversal'
export type TransactionStatus = 'pending' | 'settled' | 'cancelled' | 'declined'

/** Decline codes and what people read; the order of the checks is in `standingCode` and `decide`. */
export const declineMessages = {
  FR7: 'Card not found',
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

// The fold

/** A message of one authorization, not declined; amounts in minor units of the card's currency. */
export type FoldMessage = {
  readonly type: Exclude<MessageType, ReturnMessageType>
  /**
   * What it adds or takes away; of a replacement the signed difference. Null: an expiry, and a reversal of everything
   * that is still without its authorization, which `resolveReversals` gives an amount.
   */
  readonly amount: bigint | null
  /** of a clearing: no more will come */
  readonly isFinal: boolean
  readonly at: Date
}

export type Payment = {
  readonly approved: bigint
  readonly reversed: bigint
  readonly settled: bigint
  readonly held: bigint
  /** An authorization or an advice was approved; until then nothing but clearings counts. */
  readonly isAuthorized: boolean
  /** A final clearing or an expiry was seen. Never "fully reversed": that would depend on the order of arrival. */
  readonly isClosed: boolean
  readonly status: Exclude<TransactionStatus, 'declined'>
  /** What the statement shows. */
  readonly amount: bigint
  readonly clearedAt: Date | null
  readonly lastApprovedAt: Date | null
}

/**
 * All messages of one authorization, in any order → what is to be held and settled. Only sums, maxima and "was there
 * one": so the outcome cannot depend on the order.
 */
export function foldPayment(messages: readonly FoldMessage[]): Payment {
  const isAuthorized = messages.some(({ type }) => approvals.has(type))
  let approved = 0n
  let reversed = 0n
  let settled = 0n
  let isClosed = false
  let clearedAt: Date | null = null
  let lastApprovedAt: Date | null = null

  for (const { type, amount, isFinal, at } of messages) {
    const moved = amount ?? 0n
    if (raises(type, moved)) {
      approved += moved
      lastApprovedAt = latest(lastApprovedAt, at)
    } else if (type === 'reversal' || type === 'replacement') {
      reversed += abs(moved)
    }
    if (type === 'clearing' || type === 'single_message') {
      settled += moved
      clearedAt = latest(clearedAt, at)
    }
    if (type === 'expiry' || type === 'single_message' || (type === 'clearing' && isFinal)) isClosed = true
  }

  const held = isClosed || !isAuthorized ? 0n : max(0n, approved - reversed - settled)
  const status = paymentStatus({ held, settled, isOver: isClosed || (isAuthorized && reversed > 0n) })
  const amount = status === 'cancelled' && isAuthorized ? approved : settled + held
  return { approved, reversed, settled, held, isAuthorized, isClosed, status, amount, clearedAt, lastApprovedAt }
}

const approvals: ReadonlySet<MessageType> = new Set(['authorization', 'advice', 'single_message'])

function raises(type: MessageType, amount: bigint): boolean {
  return approvals.has(type) || type === 'incremental' || (type === 'replacement' && amount > 0n)
}

function paymentStatus({ held, settled, isOver }: { held: bigint; settled: bigint; isOver: boolean }) {
  if (held > 0n) return 'pending'
  if (settled > 0n) return 'settled'
  return isOver ? 'cancelled' : 'pending'
}

/**
 * A reversal without an amount takes back all that is held when it comes, or, if it came first, all that its
 * authorization brings. The first such gets that amount, further ones nothing.
 */
export function resolveReversals<M extends FoldMessage>(messages: readonly M[]): readonly M[] {
  const payment = foldPayment(messages)
  if (!payment.isAuthorized) return messages
  let left = payment.held
  return messages.map((message) => {
    if (message.type !== 'reversal' || message.amount !== null) return message
    const amount = left
    left = 0n
    return { ...message, amount }
  })
}

// Decisions

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

/** Returns the decline code of the first state that forbids a payment. The order is fixed, so that a replay gives the same code. */
export function standingCode({ cardStatus, userStatus, accountStatus, kycStatus }: Standing): DeclineCode | null {
  return (
    codeOf(cardCodes, cardStatus) ??
    codeOf(userCodes, userStatus) ??
    codeOf(accountCodes, accountStatus) ??
    codeOf(kycCodes, kycStatus)
  )
}

/** Throws for a state that the table lacks, such as one that only a newer version knows: an unknown state must never approve. */
function codeOf<Status extends string>(codes: Codes<Status>, status: Status): DeclineCode | null {
  if (!Object.hasOwn(codes, status)) throw new Error(`the state "${status}" has no decline code`)
  return codes[status]
}

/** What is known of an authorization code on a card before a message with it. */
export type CodeFacts = {
  readonly messages: readonly FoldMessage[]
  /** an authorization or single message with the code was decided on, either way */
  readonly wasDecided: boolean
  /** the statement has a row with the code … */
  readonly hasRow: boolean
  /** … that is a payment and not declined */
  readonly hasPayment: boolean
}

export type Means = {
  readonly limitCode: DeclineCode | null
  readonly spendable: bigint
  readonly isPartialAllowed: boolean
}

export type Decision =
  | { readonly outcome: 'approved' | 'kept'; readonly amount: bigint | null }
  | { readonly outcome: 'declined'; readonly code: DeclineCode }

/**
 * The answer to a message, given what the programme's limits say and what is free to spend (minor units). Only
 * authorizations and what raises one can be declined; a reversal or increment whose authorization has not arrived is kept
 * for it and answered as approved.
 */
export function decide(
  message: FoldMessage,
  code: CodeFacts,
  standing: Standing,
  { limitCode, spendable, isPartialAllowed }: Means,
): Decision {
  const { type, amount } = message
  const before = foldPayment(code.messages)
  if (type === 'clearing' || type === 'advice') return { outcome: 'approved', amount }
  if (type === 'expiry') {
    if (!code.hasPayment) throw new Refusal('AUTHORIZATION_NOT_FOUND')
    return { outcome: 'approved', amount }
  }
  if (isOpening(type)) {
    if (code.wasDecided) throw new Refusal('AUTHORIZATION_CODE_USED')
  } else {
    if (type === 'replacement' && !code.hasRow) throw new Refusal('AUTHORIZATION_NOT_FOUND')
    const isRaise = raises(type, amount ?? 0n)
    if (!before.isAuthorized) {
      if (code.wasDecided && isRaise) return { outcome: 'declined', code: 'CLO' }
      return { outcome: 'kept', amount }
    }
    if (!isRaise) return { outcome: 'approved', amount }
  }
  const isRaiseOfClosed = (type === 'incremental' || type === 'replacement') && before.isClosed
  const refused = standingCode(standing) ?? (isRaiseOfClosed ? 'CLO' : limitCode)
  if (refused !== null) return { outcome: 'declined', code: refused }

  const asked = amount ?? 0n
  const after = foldPayment(resolveReversals([...code.messages, message]))
  const short = after.held + after.settled - before.held - before.settled - spendable
  if (short <= 0n) return { outcome: 'approved', amount: asked }
  if (isPartialAllowed && type === 'authorization' && asked > short)
    return { outcome: 'approved', amount: asked - short }
  return { outcome: 'declined', code: '810' }
}

/** Authorizations and what raises one; everything else the network has decided already. */
export function mayBeDeclined(type: MessageType): boolean {
  return isOpening(type) || type === 'incremental' || type === 'replacement'
}

/** What a replacement adds to (or, below zero, takes from) what is approved now. */
export function replacementChange(messages: readonly FoldMessage[], newTotal: bigint): bigint {
  const { approved, reversed } = foldPayment(messages)
  return newTotal - (approved - reversed)
}

// The programme's figures

/** When a hold ends unless it is cleared. */
export function holdExpiry(lastApprovedAt: Date, mcc: string, holdDays: FigureByMerchantType): Date {
  return addSeconds(lastApprovedAt, figureFor(holdDays, mcc) * 86_400)
}

export type ReviewReason = 'unmatched_clearing' | 'over_clearing' | 'over_reversal'

/** Why a person should look at a payment. It is posted all the same: the network has decided. */
export function reviewReason(
  { isAuthorized, approved, reversed, settled }: Payment,
  { mcc, isForeign }: { mcc: string; isForeign: boolean },
  tolerance: ClearingTolerance,
): ReviewReason | null {
  if (!isAuthorized) return settled > 0n ? 'unmatched_clearing' : null
  if (reversed > approved) return 'over_reversal'
  const percent = max(BigInt(figureFor(tolerance, mcc)), isForeign ? BigInt(tolerance.foreign) : 0n)
  return settled * 100n > (approved - reversed) * (100n + percent) ? 'over_clearing' : null
}

/** Some acquirers put a phone number where the city belongs. */
export function cleanCity(city: string | undefined): string | null {
  const trimmed = city?.trim() ?? ''
  return trimmed === '' || /^[+(]?[\d\s().+-]{5,}$/.test(trimmed) ? null : trimmed
}

function latest(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
