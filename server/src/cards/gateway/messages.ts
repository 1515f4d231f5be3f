import { InvalidInput } from '../../lib/errors.ts'
import { minorDigits, parseMajor } from '../../lib/money.ts'
import type { NetworkAnswer, NetworkMessage } from '../transactions/messages.ts'
import { cleanCity, declineMessages, type MessageType } from '../transactions/rules.ts'
import { approvedCodes, responseCodes } from './rules.ts'
import type { MessageAnswer, PaymentMessage } from './schemas.ts'

/** Between the processor's words and those of `card-transactions`. */
export const source = 'issuer'

/** About an earlier message, which only one of its names can find. */
const needsName: ReadonlySet<MessageType> = new Set([
  'incremental',
  'replacement',
  'reversal',
  'clearing_cancellation',
  'refund_reversal',
])

export function networkMessage(body: PaymentMessage, cardId: string): NetworkMessage {
  const { type, eventId, authorizationCode, networkTransactionId, entryMode, merchant = {} } = body
  if (needsName.has(type) && authorizationCode === undefined && networkTransactionId === undefined) {
    throw new InvalidInput(`body/authorizationCode or body/networkTransactionId is needed for ${type}`)
  }
  return {
    source,
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
  }
}

/** Never converted here: what is billed is the network's figure, or the amount itself in the card's currency. */
function amountsOf({ amount, currency, billingAmount, billingCurrency }: PaymentMessage) {
  if ((billingAmount === undefined) !== (billingCurrency === undefined)) {
    throw new InvalidInput('body/billingAmount and body/billingCurrency go together')
  }
  if ((amount === undefined) !== (currency === undefined)) {
    throw new InvalidInput('body/amount and body/currency go together')
  }
  if (amount === undefined || currency === undefined) {
    if (billingAmount !== undefined) throw new InvalidInput('body/amount is needed with body/billingAmount')
    return { amount: null }
  }
  const asked = { currency, minor: BigInt(amount) }
  if (billingAmount === undefined || billingCurrency === undefined) return { amount: asked, billed: asked }
  return { amount: asked, billed: { currency: billingCurrency, minor: BigInt(billingAmount) } }
}

export function answerOf({ eventId, amount }: NetworkMessage, answer: NetworkAnswer): MessageAnswer {
  const { denial_code: code, approved_amount: approved } = answer
  if (code === 'TMO') return answerTooLate(eventId)
  const named = { authorizationCode: answer.authorization_code, authorizationId: answer.authorization_id }
  if (code !== undefined)
    return { eventId, outcome: 'declined', responseCode: responseCodes[code], ...named, ...denial(code) }
  if (approved === undefined || amount === null) {
    return { eventId, outcome: 'approved', responseCode: approvedCodes.full, ...named }
  }
  const minor = parseMajor(approved, minorDigits(amount.currency)) ?? 0n
  const responseCode = minor === amount.minor ? approvedCodes.full : approvedCodes.partial
  return { eventId, outcome: 'approved', responseCode, ...named, approvedAmount: String(minor) }
}

/** The same whether it is said before the lock was had or read from what was stored after: so it names nothing. */
export function answerTooLate(eventId: string): MessageAnswer {
  return { eventId, outcome: 'declined', responseCode: responseCodes.TMO, ...denial('TMO') }
}

function denial(code: keyof typeof declineMessages) {
  return { declineCode: code, declineReason: declineMessages[code] }
}
