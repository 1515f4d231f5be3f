import type { Tx } from '../db/db.ts'
import type { AccountSum, ItemText } from './rules.ts'

export async function findPostingSums(tx: Tx, userId: string): Promise<AccountSum[]> {
  return tx.query<AccountSum>(
    `select token, account, sum(amount) as amount from (
       select token, to_account as account, amount from posting where user_id = $1
       union all
       select token, from_account, -amount from posting where user_id = $1
     ) as moved group by token, account`,
    [userId],
  )
}

/** What is open of authorizations, deposits and withdrawals. */
export async function findOpenSums(tx: Tx, userId: string): Promise<AccountSum[]> {
  return tx.query<AccountSum>(
    `select token, 'held' as account, sum(held) as amount from card_transaction_part
       where user_id = $1 group by token
     union all
     select token, 'deposit_processing', sum(amount) from deposit
       where user_id = $1 and status = 'pending' group by token
     union all
     select token, 'withdrawal_processing', sum(amount) from withdrawal
       where user_id = $1 and status in ('pending', 'processing') group by token`,
    [userId],
  )
}

export async function findItems(tx: Tx, userId: string): Promise<ItemText[]> {
  return tx.query<ItemText>(
    `select created_at as "createdAt", item_id as "itemId", item from statement_item where user_id = $1`,
    [userId],
  )
}
