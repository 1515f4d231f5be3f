import type { Reader } from '../db/db.ts'
import type { PlacedRow } from '../db/together.ts'
import type { OwnerKey } from '../http/access.ts'
import { ownsOpenUser } from '../users/users.ts'
import { shownAccounts } from './rules.ts'

/** Of one token; empty: an account without a balance yet. */
export type BalanceRow = PlacedRow & { readonly figures: string }

const figures = ['token', ...shownAccounts].map((column) => `b.${column}`).join(', ')

const readableBalances = `
  select c.at::int, concat_ws(' ', ${figures}) as figures
  from unnest($1::uuid[], $2::text[]) with ordinality as c (user_id, address, at)
  join account a on a.user_id = c.user_id
  left join ledger_balance b on b.user_id = a.user_id and b.user_id = any($1)
  where a.user_id = any($1) and ${ownsOpenUser('c.user_id', 'c.address')}`

/**
 * All balances of an account, with the check of the caller, in one statement for all who ask at once. No row: no access,
 * or no account.
 */
export function findReadableBalances(
  db: Pick<Reader, 'together'>,
  { userId, signerAddress }: OwnerKey,
): Promise<BalanceRow[]> {
  return db.together<BalanceRow>(readableBalances, [userId, signerAddress])
}
