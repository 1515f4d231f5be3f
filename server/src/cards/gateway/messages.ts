import { InvalidInput } from '../../lib/errors.ts'
import { type CardDecision, type CardMessage, unknownMerchant } from '../transactions/messages.ts'
import { cleanCity, type DeclineCode, declineMessages, type MessageType } from '../transactions/rules.ts'
import { approvedCodes, responseCodes } from './rules.ts'
import type { MessageResponse, PaymentMessage } from './schemas.ts'

/** Translates between the processor's messages and card messages. */
export const issuerSource = 'issuer'

/** Types that refer to an earlier message, which is found by its authorization code or network id. */
const needsReference: ReadonlySet<MessageType> = new Set([
  'incremental',
  'replacement',
  'reversal',
  'clearing_cancellation',
  'refund_reversal',
])

export function cardMessage(body: PaymentMessage, cardId: string): CardMessage {
  const { type, eventId, authorizationCode, networkTransactionId, entryMode, merchant = {} } = body
  if (needsReference.has(type) && authorizationCode === undefined && networkTransactionId === undefined) {
    throw new InvalidInput(`body/authorizationCode or body/networkTransactionId is required for ${type}`)
  }
  return {
    source: issuerSource,
    eventId,
    type,
    cardId,
    authorizationCode: authorizationCode ?? null,
    ...(networkTransactionId === undefined ? {} : { networkId: networkTransactionId }),
    ...amountsOf(body),
    isFinal: 'isFinal' in body ? (body.isFinal ?? true) : true,
    isPartialAllowed: type === 'authorization' && 'partialAllowed' in body && body.partialAllowed === true,
    ...(entryMode === undefined ? {} : { entryMode }),
    merchant: {
      name: merchant.name?.trim() || null,
      city: cleanCity(merchant.city),
      country: merchant.country ?? null,
      mcc: merchant.categoryCode ?? null,
    },
    fallbackMerchant: unknownMerchant,
    rejectsUnmatchedRefund: false,
  }
}

/** Reads the amounts. Nothing is converted here: without a billed amount, the amount is in the card's currency. */
function amountsOf({ amount, currency, billingAmount, billingCurrency }: PaymentMessage) {
  if ((billingAmount === undefined) !== (billingCurrency === undefined)) {
    throw new InvalidInput('body/billingAmount and body/billingCurrency must be given together')
  }
  if ((amount === undefined) !== (currency === undefined)) {
    throw new InvalidInput('body/amount and body/currency must be given together')
  }
  if (amount === undefined || currency === undefined) {
    if (billingAmount !== undefined) throw new InvalidInput('body/amount is required with body/billingAmount')
    return { amount: null }
  }
  const asked = { currency, minor: BigInt(amount) }
  if (billingAmount === undefined || billingCurrency === undefined) return { amount: asked, billed: asked }
  return { amount: asked, billed: { currency: billingCurrency, minor: BigInt(billingAmount) } }
}

/** Renders a decision for the processor. The same decision always gives the same bytes. */
export function responseOf({ eventId, amount }: CardMessage, decision: CardDecision): MessageResponse {
  const { declineCode, approvedAmount, authorizationCode } = decision
  if (declineCode === 'TMO') return lateResponse(eventId)
  // Below 2^53, so a JSON number holds it exactly.
  const named = { authorizationCode, authorizationId: Number(decision.authorizationId) }
  if (declineCode !== null) {
    return { eventId, outcome: 'declined', responseCode: responseCodes[declineCode], ...named, ...decline(declineCode) }
  }
  if (approvedAmount === null) return { eventId, outcome: 'approved', responseCode: approvedCodes.full, ...named }
  const responseCode = approvedAmount === amount?.minor ? approvedCodes.full : approvedCodes.partial
  return { eventId, outcome: 'approved', responseCode, ...named, approvedAmount: String(approvedAmount) }
}

/** Renders a late decline. It has no authorization id, which is unknown before the message is processed. */
export function lateResponse(eventId: string): MessageResponse {
  return { eventId, outcome: 'declined', responseCode: responseCodes.TMO, ...decline('TMO') }
}

function decline(code: DeclineCode) {
  return { declineCode: code, declineReason: declineMessages[code] }
}
