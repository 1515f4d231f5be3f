import { mayReadAccount, sessionOf } from '../../identity/users/users.ts'
import type { HotReader } from '../../platform/db/db.ts'
import type { ByteSink } from '../../platform/db/hot-reads/pipeline.ts'
import type { SessionKey } from '../../platform/http/access.ts'
import { idRange, type PageRange, type Selection } from './rules.ts'

const readableItems = `
  select item from statement_item
  where user_id = $1 and ${mayReadAccount} and (created_at, item_id) < ($4, $5) and created_at >= $6
  order by created_at desc, item_id desc limit $7`

/** Returns a statement that reads the items of one type through the index of their facts. */
const itemsOf = (facts: string) => `
  select i.item from (${facts}) f
  join statement_item i on i.user_id = $1 and i.created_at = f.created_at and i.item_id = f.id
  order by f.created_at desc, f.id desc`

const cardTransactions = (condition = '') => `
  select created_at, card_transaction_id as id from card_transaction
  where user_id = $1 and ${mayReadAccount} and card_transaction_id < $4 and card_transaction_id >= $5 ${condition}
  order by card_transaction_id desc limit $6`

const transfers = (table: 'deposit' | 'withdrawal', condition = '') => `
  select created_at, ${table}_id as id from ${table}
  where user_id = $1 and ${mayReadAccount} and (created_at, ${table}_id) < ($4, $5) and created_at >= $6 ${condition}
  order by created_at desc, ${table}_id desc limit $7`

const readableCardTransactions = itemsOf(cardTransactions())
const readableCardTransactionsOfCard = itemsOf(cardTransactions('and card_id = $7'))
const readableDeposits = itemsOf(transfers('deposit'))
const readableWithdrawals = itemsOf(transfers('withdrawal', 'and deposit_id is null'))

/**
 * Reads one range of an index backwards from a position, so page 5,000 costs as much as page 1. The caller's access is
 * checked once, before the first row; without access there are no rows.
 */
export async function eachReadableItem(
  db: Pick<HotReader, 'eachRow'>,
  caller: SessionKey,
  { limit, ...range }: PageRange & { readonly limit: number },
  sink: ByteSink,
  selection: Selection = { of: 'all' },
): Promise<void> {
  const session = sessionOf(caller)
  const byTime = () => [...session, range.before.createdAt, range.before.itemId, range.from, limit]
  const byId = () => {
    const { below, from } = idRange(range)
    return [...session, below, from, limit]
  }
  switch (selection.of) {
    case 'all':
      return db.eachRow(readableItems, byTime(), sink)
    case 'card_transaction':
      return db.eachRow(readableCardTransactions, byId(), sink)
    case 'card':
      return db.eachRow(readableCardTransactionsOfCard, [...byId(), selection.cardId], sink)
    case 'deposit':
      return db.eachRow(readableDeposits, byTime(), sink)
    case 'withdrawal':
      return db.eachRow(readableWithdrawals, byTime(), sink)
    case 'nothing':
      return
  }
}
