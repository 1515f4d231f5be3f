import { movementParameters } from '../../ledger/ledger.ts'
import { functionCall } from '../../platform/db/call.ts'
import type { Tx } from '../../platform/db/db.ts'

/** The parameters that describe the message itself. */
export const messageParameters = [
  'message_id',
  'source',
  'event_id',
  'body_hash',
  'authorization_id',
  'network_id',
  'type',
  'amount',
  'is_final',
  'outcome',
  'decline_code',
  'approved_amount',
  'deferred_message',
  'message_needs_review',
] as const

/** The parameters that describe its card transaction and the item of the statement. */
export const transactionParameters = [
  'transaction_id',
  'transaction_card_token',
  'transaction_authorization_id',
  'kind',
  'status',
  'is_credit',
  'currency',
  'amount_minor',
  'original_currency',
  'original_amount_minor',
  'merchant_name',
  'merchant_city',
  'merchant_country',
  'mcc',
  'entry_mode',
  'transaction_decline_code',
  'linked_id',
  'needs_review',
  'due_at',
  'created_at',
  'cleared_at',
  'item',
  'item_event_id',
  'item_event_type',
] as const

const call = functionCall('select record_card_message', [
  'user_id',
  'at',
  'card_id',
  'authorization_code',
  ...messageParameters,
  'resolved_ids',
  'resolved_amounts',
  'undeferred_ids',
  ...transactionParameters,
  'part_tokens',
  'part_held',
  'part_settled',
  'movement_kind',
  ...movementParameters,
])

export type RecordArguments = Parameters<typeof call.values>[0]

/** Writes all changes of a card message. The statement travels with the next one, or with the commit. */
export function sendRecordCardMessage(tx: Tx, args: RecordArguments): void {
  tx.send(call.text, call.values(args))
}
