import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { InvalidInput, Refusal, UpstreamError } from '../../lib/errors.ts'
import { isConnectionFailure } from '../../platform/db/db.ts'
import { shortageOf } from '../../platform/db/shortage.ts'
import { type CardDecision, type CardMessage, unknownMerchant } from '../transactions/messages.ts'
import { type MessageTiming, receiveMessage } from '../transactions/receive.ts'
import { cleanCity, type DeclineCode, declineMessages, type MessageType } from '../transactions/rules.ts'
import { declineLate } from '../transactions/transactions.ts'
import { withDeadline } from './deadline.ts'
import { cardKeyOf, checkReference } from './gateway.ts'
import { approvedCodes, issuerSource, responseCodes } from './rules.ts'
import type { FileLine, MessageResponse, PaymentMessage } from './schemas.ts'

/** Reads the processor's card messages, decides them and renders the responses. */

/** Replaces the card id of an unknown card token, so that one place handles all unknown cards. */
const unknownCardId = '00000000-0000-0000-0000-000000000000'

/** Decides a message before its deadline. `receivedAt` is a time of `performance.now()`. */
export async function decideMessage(ctx: Ctx, body: PaymentMessage, receivedAt: number): Promise<MessageResponse> {
  checkReference(body)
  const { issuerDecisionMilliseconds, issuerAnswerMilliseconds } = ctx.config
  return withDeadline(
    { decideBy: receivedAt + issuerDecisionMilliseconds, answerBy: receivedAt + issuerAnswerMilliseconds },
    (isLate) => receive(ctx, body, { receivedAt, isLate }),
    () => respondLate(ctx, body, receivedAt),
    (error) => ctx.log.error({ err: error }, 'late decision not stored'),
  )
}

/** A database that takes longer than this to write one row counts as down. */
const storeMilliseconds = 250

/** Responds with a late decline, but only once it is stored: a retry of the message must get the same response. */
async function respondLate(ctx: Ctx, body: PaymentMessage, receivedAt: number): Promise<MessageResponse> {
  const response = await Promise.race([
    storeLate(ctx, body, receivedAt),
    delay(storeMilliseconds, null, { ref: false }),
  ])
  if (response === null)
    throw new UpstreamError('database', 'unavailable', new Error('a late decline was not stored in time'))
  return response
}

async function storeLate(ctx: Ctx, body: PaymentMessage, receivedAt: number): Promise<MessageResponse> {
  const card = await cardKeyOf(ctx, ctx.db.reader, body)
  if (card === null) return receive(ctx, body, { receivedAt })
  const message = cardMessage(body, card.cardId)
  const decision = await declineLate(ctx, card.userId, message)
  return decision === null ? lateResponse(body.eventId) : responseOf(message, decision)
}

/** Takes a message that the network has already decided, which needs no deadline. */
export async function takeMessage(ctx: Ctx, body: PaymentMessage): Promise<MessageResponse> {
  checkReference(body)
  return receive(ctx, body, { receivedAt: performance.now() })
}

async function receive(ctx: Ctx, body: PaymentMessage, timing: MessageTiming): Promise<MessageResponse> {
  // Finds the user before the transaction, which on a cluster may run at the server with the user's data. A card never
  // changes its user.
  const card = await cardKeyOf(ctx, ctx.db.reader, body)
  const message = cardMessage(body, card?.cardId ?? body.cardId?.toLowerCase() ?? unknownCardId)
  const decision = await ctx.db.transaction(
    (tx) => receiveMessage(ctx, tx, card?.userId ?? null, message, timing),
    card?.userId,
  )
  return responseOf(message, decision)
}

/** A line of a clearing file. `read` returns its message, and throws if the line could not be parsed or is invalid. */
export type Line = { readonly line: number; readonly read: () => PaymentMessage; readonly eventId: string | null }

/**
 * Takes the lines of a file in order, each in its own transaction. A rejected line gets an error and does not stop the
 * others. Only a database that is lost or cannot store anything stops the file. When the processor retries the file,
 * the lines that were taken get their stored responses.
 */
export async function takeFile(ctx: Ctx, lines: readonly Line[]): Promise<FileLine[]> {
  const results: FileLine[] = []
  for (const { line, eventId, read } of lines) {
    try {
      results.push({ line, eventId, status: 200, answer: await takeMessage(ctx, read()) })
    } catch (error) {
      if (isConnectionFailure(error) || shortageOf(error) !== null) throw error
      results.push({ line, eventId, ...errorOf(ctx, error) })
    }
  }
  return results
}

function errorOf(ctx: Ctx, error: unknown): { status: number; error: string; message: string } {
  if (error instanceof Refusal) return { status: error.status, error: error.code, message: error.message }
  if (error instanceof InvalidInput) return { status: 400, error: 'VALIDATION', message: error.message }
  ctx.log.error({ err: error }, 'clearing line failed')
  return { status: 500, error: 'INTERNAL_ERROR', message: 'Internal server error' }
}

// Translation between the processor's messages and card messages

/** Types that refer to an earlier message, which is found by its authorization code or network id. */
const needsReference: ReadonlySet<MessageType> = new Set([
  'incremental',
  'replacement',
  'reversal',
  'clearing_cancellation',
  'refund_reversal',
])

function cardMessage(body: PaymentMessage, cardId: string): CardMessage {
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
    isFinal: body.type === 'clearing' ? (body.isFinal ?? true) : true,
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

/** Reads the amounts, without a conversion. Without a billed amount, the amount must be in the card's currency. */
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
function responseOf({ eventId, amount }: CardMessage, decision: CardDecision): MessageResponse {
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
function lateResponse(eventId: string): MessageResponse {
  return { eventId, outcome: 'declined', responseCode: responseCodes.TMO, ...decline('TMO') }
}

function decline(code: DeclineCode) {
  return { declineCode: code, declineReason: declineMessages[code] }
}
