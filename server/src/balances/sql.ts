import type { Queryable } from '../db/db.ts'
import type { UserCaller } from '../http/access.ts'
import type { TokenBalance } from '../ledger/rules.ts'
import { mayReadAccount } from '../users/users.ts'

/** `token` null: an account without a balance yet. */
export type BalanceRow = (TokenBalance & { readonly token: string }) | { readonly token: null }

/** All balances of an account in one statement, with the check of the caller. No row: no access, or no account. */
export async function findReadableBalances(db: Queryable, caller: UserCaller): Promise<BalanceRow[]> {
  return db.query<BalanceRow>(
    `select b.token, b.available, b.held, b.frozen, b.deposit_processing, b.withdrawal_processing, b.debt, b.network,
       b.unfinal, b.chain, b.gas, b.loss
     from account a left join ledger_balance b on b.user_id = a.user_id and b.user_id = $1
     where a.user_id = $1 and ${mayReadAccount}`,
    [caller.userId, caller.signerAddress],
  )
}
