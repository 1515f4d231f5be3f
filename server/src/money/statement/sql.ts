import { mayReadAccount, sessionOf } from '../../identity/users/users.ts'
import type { HotReader } from '../../platform/db/db.ts'
import type { ByteSink } from '../../platform/db/hot-reads/pipeline.ts'
import type { SessionKey } from '../../platform/http/access.ts'
import { type Filters, idRange, type Position, pageRange, selectionOf } from './rules.ts'

/**
 * Returns the SQL queries that read a user's items if the condition `access` holds. The condition uses the parameters
 * 1 to 3.
 */
function statementsFor(access: string) {
  const itemsOf = (facts: string) => `
    select i.item from (${facts}) f
    join statement_item i on i.user_id = $1 and i.created_at = f.created_at and i.item_id = f.id
    order by f.created_at desc, f.id desc`
  const cardTransactions = (condition = '') => `
    select created_at, card_transaction_id as id from card_transaction
    where user_id = $1 and ${access} and card_transaction_id < $4 and card_transaction_id >= $5 ${condition}
    order by card_transaction_id desc limit $6`
  const transfers = (table: 'deposit' | 'withdrawal', condition = '') => `
    select created_at, ${table}_id as id from ${table}
    where user_id = $1 and ${access} and (created_at, ${table}_id) < ($4, $5) and created_at >= $6 ${condition}
    order by created_at desc, ${table}_id desc limit $7`
  return {
    all: `
      select item from statement_item
      where user_id = $1 and ${access} and (created_at, item_id) < ($4, $5) and created_at >= $6
      order by created_at desc, item_id desc limit $7`,
    card_transaction: itemsOf(cardTransactions()),
    card: itemsOf(cardTransactions('and card_id = $7')),
    deposit: itemsOf(transfers('deposit')),
    withdrawal: itemsOf(transfers('withdrawal', 'and deposit_id is null')),
  }
}

const forOwners = statementsFor(mayReadAccount)
const forPartners = statementsFor(
  'exists (select from partner_user p where p.partner_id = $2 and p.user_id = $1 and p.user_id = $3)',
)

/** The reader of a statement: an owner by its session, or the partner of the user. */
export type StatementReader = SessionKey | { readonly partnerId: string; readonly userId: string }

/** The items after a position that match the filters, at most `limit`. */
type Wanted = { readonly filters: Filters; readonly after: Position | null; readonly limit: number }

/**
 * Reads one range of an index backwards from a position, so page 5,000 costs as much as page 1. The caller's access is
 * checked once, before the first row; without access there are no rows.
 */
export async function eachReadableItem(
  db: Pick<HotReader, 'eachRow'>,
  reader: StatementReader,
  { filters, after, limit }: Wanted,
  sink: ByteSink,
): Promise<void> {
  const range = pageRange(filters, after)
  const selection = selectionOf(filters)
  const isOwner = 'sessionId' in reader
  const session = isOwner ? sessionOf(reader) : [reader.userId, reader.partnerId, reader.userId]
  const statements = isOwner ? forOwners : forPartners
  const byTime = () => [...session, range.before.createdAt, range.before.itemId, range.from, limit]
  const byId = () => {
    const { below, from } = idRange(range)
    return [...session, below, from, limit]
  }
  switch (selection.of) {
    case 'card_transaction':
      return db.eachRow(statements.card_transaction, byId(), sink)
    case 'card':
      return db.eachRow(statements.card, [...byId(), selection.cardId], sink)
    case 'all':
    case 'deposit':
    case 'withdrawal':
      return db.eachRow(statements[selection.of], byTime(), sink)
    case 'nothing':
      return
  }
}
