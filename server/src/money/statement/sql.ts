import { mayReadAccount } from '../../identity/users/users.ts'
import type { HotReader } from '../../platform/db/db.ts'
import type { ByteSink } from '../../platform/db/hot-reads/pipeline.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { PageRange } from './rules.ts'

const readableItems = `
  select item from statement_item
  where user_id = $1 and ${mayReadAccount} and (created_at, item_id) < ($3, $4) and created_at >= $5
  order by created_at desc, item_id desc limit $6`

/**
 * Reads one range of the primary key backwards from a position, so page 5,000 costs as much as page 1. The caller's
 * access is checked once, before the first row; without access there are no rows.
 */
export function eachReadableItem(
  db: Pick<HotReader, 'eachRow'>,
  { userId, signerAddress }: UserCaller,
  { before, from, limit }: PageRange & { readonly limit: number },
  sink: ByteSink,
): Promise<void> {
  return db.eachRow(readableItems, [userId, signerAddress, before.createdAt, before.itemId, from, limit], sink)
}
