// pure
import { createHash } from 'node:crypto'
import { Refusal } from '../../lib/errors.ts'
import type { Currency } from '../../lib/money.ts'
import type { DeclineCode, EntryMode, MessageOutcome, MessageType } from './rules.ts'

/** A merchant as a card transaction stores it. */
export type Merchant = {
  readonly merchantName: string
  readonly merchantCity: string | null
  readonly merchantCountry: string
  readonly mcc: string
}

/** `ZZ` is a user-assigned code of ISO 3166, so no country has it. */
export const unknownMerchant: Merchant = {
  merchantName: 'Unknown merchant',
  merchantCity: null,
  merchantCountry: 'ZZ',
  mcc: '0000',
}

/** One message of the card network. */
export type CardMessage = {
  /** The sender. Event ids are unique within a source and user. */
  readonly source: string
  readonly eventId: string
  readonly type: MessageType
  readonly cardId: string
  readonly authorizationCode: string | null
  /**
   * The network's id of the card transaction. It links the messages of one card transaction, and takes precedence over
   * the authorization code.
   */
  readonly networkId?: string
  /** Null for an expiry, and for a reversal of everything that is still held. */
  readonly amount: { readonly currency: Currency; readonly minor: bigint } | null
  /** The billed amount, in the card's currency. Without it, the amount is converted at the rates of `ctx.rates`. */
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
  /** Fills the merchant fields that neither the message nor its linked card transaction has. */
  readonly fallbackMerchant: Merchant
  /**
   * Whether an unmatched refund message is rejected, not deferred. The simulator sets it to report mistakes in scripts.
   */
  readonly rejectsUnmatchedRefund: boolean
}

/** The stored decision of a card message. The simulator and the gateway each render it. */
export type CardDecision = {
  readonly outcome: MessageOutcome
  readonly declineCode: DeclineCode | null
  readonly authorizationCode: string
  readonly authorizationId: bigint
  /** The approved amount in the message's currency. Null unless the message allows a partial approval. */
  readonly approvedAmount: bigint | null
}

/**
 * Declines an authorization for an unknown card, and rejects any other message for it. The decision cannot be stored,
 * because it has no user. Its ids are derived from the event id, so that a retry gets the same response.
 */
export function declineUnknownCard({ type, source, eventId, authorizationCode }: CardMessage): CardDecision {
  if (type !== 'authorization') throw new Refusal('CARD_NOT_FOUND')
  const hash = createHash('sha256')
    .update(JSON.stringify([source, eventId]))
    .digest()
  return {
    outcome: 'declined',
    declineCode: 'FR7',
    authorizationCode: authorizationCode ?? hash.toString('hex').slice(0, 6).toUpperCase(),
    authorizationId: authorizationIdFrom(hash),
    approvedAmount: null,
  }
}

/** Takes an id from random bytes or a hash. It stays below 2^53, so that a JSON number holds it exactly. */
export function authorizationIdFrom(bytes: Buffer): bigint {
  return bytes.readBigUInt64BE() >> 11n
}

/** Hashes everything that a retry of the message must repeat. */
export function hashCardMessage({ source, eventId, ...body }: CardMessage): string {
  return createHash('sha256').update(serializeMessage(body)).digest('base64url')
}

export function serializeMessage(message: Partial<CardMessage>): string {
  return JSON.stringify(message, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** Parses a whole message that `serializeMessage` wrote. */
export function parseMessage(text: string): CardMessage {
  return JSON.parse(text, (key, value) => (key === 'minor' ? BigInt(value) : value))
}
