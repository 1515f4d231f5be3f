import { hasOpenSession, sessionOf } from '../../identity/users/users.ts'
import type { HotReader } from '../../platform/db/db.ts'
import type { BatchRow } from '../../platform/db/hot-reads/batch.ts'
import type { SessionKey } from '../../platform/http/access.ts'
import { shownAccounts } from './rules.ts'

/** `figures` is the text that `parseFigures` reads; null for an account without a balance. */
export type BalanceFigures = BatchRow & { readonly figures: string | null }

const readableBalances = `
  select c.at::int, b.figures
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as c (user_id, access_id, session_id, at)
  join account a on a.user_id = c.user_id
  left join (
    select user_id, string_agg(concat_ws(' ', token, ${shownAccounts.join(', ')}), ',' order by token) as figures
    from ledger_balance where user_id = any($1) group by user_id
  ) b on b.user_id = a.user_id
  where a.user_id = any($1) and ${hasOpenSession('c.user_id', 'c.access_id', 'c.session_id', '$1')}`

/**
 * Reads all balances of an account and checks the caller, in one statement for a whole batch of callers. Returns no row
 * when the caller has no access or the user has no account.
 */
export function findReadableBalances(db: Pick<HotReader, 'batch'>, caller: SessionKey): Promise<BalanceFigures[]> {
  return db.batch<BalanceFigures>(readableBalances, sessionOf(caller))
}
