import { Type } from 'typebox'
import { declineMessages, messageOutcomes, messageTypes } from '../cards/transactions/rules.ts'
import { cardStatementItem } from '../cards/transactions/statement-item.ts'
import { Amount, DateTime, nullable, oneOf, ref, Uuid } from '../platform/http/schemas.ts'
import { CardTransactionItem, DeclineReason } from '../statement-items/schemas.ts'
import { DeliveryRecord, deliveryRecord } from '../webhooks/records.ts'
import { publicId } from '../webhooks/rules.ts'
import { EventId } from '../webhooks/schemas.ts'
import type { OwnHistory, WholeHistory } from './card-history.ts'
import type { Amounts, HistoryStep } from './rules.ts'

/** The bodies of a card transaction history: the part that the owner sees, and the whole. */

const HeldAndSettled = Type.Object({ held: Amount, settled: Amount }, { title: 'HeldAndSettled' })

const Message = Type.Object(
  {
    type: oneOf(messageTypes),
    at: DateTime,
    amount: nullable(
      Type.String({
        pattern: '^-?[0-9]+$',
        description:
          "In minor units of the card's currency. For the type `replacement`, the change of the approved amount, which can be negative.",
      }),
    ),
    isFinal: Type.Boolean(),
    outcome: oneOf(messageOutcomes, {
      description: '`deferred`: the message waited for the one that it refers to.',
    }),
    declineReason: nullable(ref(DeclineReason)),
    before: HeldAndSettled,
    after: HeldAndSettled,
  },
  { title: 'CardMessage' },
)

export const OwnHistoryRecord = Type.Object(
  { transaction: ref(CardTransactionItem), messages: Type.Array(Message) },
  { title: 'CardTransactionHistory' },
)

export const PostingRecord = Type.Object(
  { token: Type.String(), from: Type.String(), to: Type.String(), amount: Amount },
  { title: 'Posting', description: 'Moves token units between two ledger accounts.' },
)

export const WholeHistoryRecord = Type.Object(
  {
    transaction: ref(CardTransactionItem),
    needsReview: Type.Boolean({ description: 'Whether an operator should check it: its review is open.' }),
    messages: Type.Array(
      Type.Object(
        { messageId: Uuid, source: Type.String(), eventId: Type.String(), ...Message.properties },
        { title: 'ReceivedCardMessage' },
      ),
    ),
    movements: Type.Array(
      Type.Object({ seq: Type.String(), kind: Type.String(), at: DateTime, postings: Type.Array(PostingRecord) }),
    ),
    events: Type.Array(
      Type.Object({
        id: EventId,
        type: Type.String(),
        createdAt: DateTime,
        deliveries: Type.Array(DeliveryRecord),
      }),
      { description: "Events in the partner's log, which covers 30 days, with their deliveries." },
    ),
  },
  { title: 'WholeCardTransactionHistory' },
)

const amounts = ({ held, settled }: Amounts) => ({ held: String(held), settled: String(settled) })

function messageRecord({ type, at, amount, isFinal, outcome, declineCode, before, after }: HistoryStep) {
  return {
    type,
    at: at.toISOString(),
    amount: amount === null ? null : String(amount),
    isFinal,
    outcome,
    declineReason: declineCode === null ? null : { code: declineCode, message: declineMessages[declineCode] },
    before: amounts(before),
    after: amounts(after),
  }
}

export function ownHistoryRecord({ transaction, steps }: OwnHistory) {
  return { transaction: cardStatementItem(transaction), messages: steps.map(messageRecord) }
}

export function wholeHistoryRecord({ transaction, steps, movements, events }: WholeHistory) {
  return {
    transaction: cardStatementItem(transaction),
    needsReview: transaction.needsReview,
    messages: steps.map((step) => {
      const { messageId, source, eventId } = step
      return { messageId, source, eventId, ...messageRecord(step) }
    }),
    movements: movements.map(({ seq, kind, at, postings }) => ({
      seq: String(seq),
      kind,
      at: at.toISOString(),
      postings: postings.map((posting) => ({ ...posting, amount: String(posting.amount) })),
    })),
    events: events.map(({ eventId, type, createdAt, deliveries }) => ({
      id: publicId(eventId),
      type,
      createdAt: createdAt.toISOString(),
      deliveries: deliveries.map(deliveryRecord),
    })),
  }
}
