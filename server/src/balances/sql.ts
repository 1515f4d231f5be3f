import type { Queryable } from '../db/db.ts'
import type { UserCaller } from '../http/access.ts'
import { mayReadAccount } from '../users/users.ts'
import type { ShownBalance } from './rules.ts'

/** `token` null: an account without a balance yet. */
export type BalanceRow = (ShownBalance & { readonly token: string }) | { readonly token: null }

const readableBalances = `
  select b.token, b.available, b.frozen, b.deposit_processing, b.withdrawal_processing, b.debt
  from account a left join ledger_balance b on b.user_id = a.user_id and b.user_id = $1
  where a.user_id = $1 and ${mayReadAccount}`

/** All balances of an account in one statement, with the check of the caller. No row: no access, or no account. */
export async function findReadableBalances(db: Queryable, caller: UserCaller): Promise<BalanceRow[]> {
  return db.query<BalanceRow>(readableBalances, [caller.userId, caller.signerAddress])
}
