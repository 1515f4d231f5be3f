import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, numeric, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'

/** The typed tables. `bench/peer-tables.ts` creates them and fills them from the items that Purser serves. */
const time = (name) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })

const movement = {
  userId: uuid('user_id').notNull(),
  id: uuid('id').notNull(),
  createdAt: time('created_at').notNull(),
  status: text('status').notNull(),
  amount: numeric('amount').notNull(),
  currency: text('currency').notNull(),
  decimals: integer('decimals').notNull(),
  isCredit: boolean('is_credit').notNull(),
  description: text('description').notNull(),
}

const chainMovement = {
  ...movement,
  fiatCurrency: text('fiat_currency').notNull(),
  txHash: text('tx_hash'),
  chainId: integer('chain_id').notNull(),
}

export const deposits = pgTable('peer_deposit', { ...chainMovement, fromAddress: text('from_address').notNull() })
export const withdrawals = pgTable('peer_withdrawal', { ...chainMovement, toAddress: text('to_address').notNull() })

export const cards = pgTable('peer_card_transaction', {
  ...movement,
  updatedAt: time('updated_at').notNull(),
  originalAmount: numeric('original_amount').notNull(),
  originalCurrency: text('original_currency').notNull(),
  originalDecimals: integer('original_decimals').notNull(),
  authorizationId: bigint('authorization_id', { mode: 'number' }).notNull(),
  authorizationCode: text('authorization_code').notNull(),
  mcc: text('mcc').notNull(),
  merchantName: text('merchant_name').notNull(),
  merchantCity: text('merchant_city'),
  merchantCountry: text('merchant_country').notNull(),
  entryMode: text('entry_mode').notNull(),
  cardId: uuid('card_id').notNull(),
  cardToken: text('card_token'),
  clearedAt: time('cleared_at'),
  kind: text('kind').notNull(),
  declineCode: text('decline_code'),
  declineMessage: text('decline_message'),
})

const types = new Map([
  [cards, 'card_transaction'],
  [deposits, 'deposit'],
  [withdrawals, 'withdrawal'],
])

/** Returns the columns of one branch of the union: those of all three tables, in one order. Missing ones are null. */
export function branchColumns(table) {
  const all = Object.assign({}, ...[...types.keys()].map((each) => ({ ...each })))
  const names = Object.keys(all).filter((name) => name !== 'userId' && all[name]?.getSQLType)
  const column = (name) =>
    (table[name] ? sql`${table[name]}` : sql`null::${sql.raw(all[name].getSQLType())}`).mapWith(all[name]).as(name)
  return {
    type: sql`${sql.raw(`'${types.get(table)}'`)}`.as('type'),
    ...Object.fromEntries(names.map((name) => [name, column(name)])),
  }
}
