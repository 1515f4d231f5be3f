import type { Reader } from '../db/db.ts'
import type { PlacedRow } from '../db/together.ts'
import type { OwnerKey } from '../http/access.ts'
import { ownsOpenUser } from '../users/users.ts'
import type { ShownBalance } from './rules.ts'

/** `token` null: an account without a balance yet. */
export type BalanceRow = PlacedRow & ((ShownBalance & { readonly token: string }) | { readonly token: null })

const readableBalances = `
  select c.at::int, b.token, b.available, b.frozen, b.deposit_processing, b.withdrawal_processing, b.debt
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
