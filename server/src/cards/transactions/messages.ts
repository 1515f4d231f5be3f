// pure
import { createHash } from 'node:crypto'
import { Refusal } from '../../lib/errors.ts'
import { type Currency, formatMajor, minorDigits } from '../../lib/money.ts'
import { type DeclineCode, declineMessages, type EntryMode, type MessageType } from './rules.ts'

/** What a network says of a card. */
export type NetworkMessage = {
  /** who says it; event ids are unique within a source and user */
  readonly source: string
  readonly eventId: string
  readonly type: MessageType
  readonly cardId: string
  readonly authorizationCode: string | null
  /** the network's own name of the payment: it finds the code where a message has none */
  readonly networkId?: string
  /** null: an expiry, or a reversal of all that is still held */
  readonly amount: { readonly currency: Currency; readonly minor: bigint } | null
  /** what the network bills, in the card's currency; absent: the sandbox's rates say */
  readonly billed?: { readonly currency: Currency; readonly minor: bigint }
  readonly isFinal: boolean
  readonly isPartialAllowed: boolean
  readonly entryMode?: EntryMode
  readonly merchant: {
    readonly name: string | null
    readonly city: string | null
    readonly country: string | null
    readonly mcc: string | null
  }
}

/** As the network reads it; stored, so that a repeated message gets the same bytes. */
export type NetworkAnswer = {
  readonly status: 'approved' | 'denied'
  readonly authorization_code: string
  readonly authorization_id: number
  readonly approved_amount?: string
  readonly denial_code?: DeclineCode
  readonly denial_reason?: string
}

/** What became of a message, and the amount it counts with, in minor units of the card's currency. */
export type Verdict = {
  readonly outcome: 'approved' | 'declined' | 'kept'
  readonly authorizationId: bigint
  readonly amount: bigint | null
  readonly declineCode?: DeclineCode
  /** of a partial approval, in the message's currency */
  readonly approvedPart?: bigint
}

export function answerOf({ amount }: NetworkMessage, code: string, verdict: Verdict): NetworkAnswer {
  const { outcome, authorizationId, declineCode, approvedPart } = verdict
  const named = { authorization_code: code, authorization_id: Number(authorizationId) }
  if (outcome === 'declined' && declineCode) return { status: 'denied', ...named, ...denial(declineCode) }
  if (approvedPart === undefined || amount === null) return { status: 'approved', ...named }
  return { status: 'approved', ...named, approved_amount: formatMajor(approvedPart, minorDigits(amount.currency)) }
}

function denial(code: DeclineCode) {
  return { denial_code: code, denial_reason: declineMessages[code] }
}

/** No user, so nothing to store: the names are made from the event, so that a repeat gets the same answer. */
export function answerUnknownCard({ type, source, eventId, authorizationCode }: NetworkMessage): NetworkAnswer {
  if (type !== 'authorization') throw new Refusal('CARD_NOT_FOUND')
  const hash = createHash('sha256')
    .update(JSON.stringify([source, eventId]))
    .digest()
  return {
    status: 'denied',
    authorization_code: authorizationCode ?? hash.toString('hex').slice(0, 6).toUpperCase(),
    authorization_id: Number(hash.readBigUInt64BE() >> 11n),
    ...denial('FR7'),
  }
}

export function hashOf({ source, eventId, ...body }: NetworkMessage): string {
  return createHash('sha256').update(textOf(body)).digest('base64url')
}

export function textOf(message: Partial<NetworkMessage>): string {
  return JSON.stringify(message, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** A whole message as `textOf` wrote it. */
export function messageOf(text: string): NetworkMessage {
  return JSON.parse(text, (key, value) => (key === 'minor' ? BigInt(value) : value))
}
