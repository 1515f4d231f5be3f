import { mayReadAccount, sessionOf } from '../../identity/users/users.ts'
import type { HotReader } from '../../platform/db/db.ts'
import type { ByteSink } from '../../platform/db/hot-reads/pipeline.ts'
import type { SessionKey } from '../../platform/http/access.ts'
import type { PageRange } from './rules.ts'

const readableItems = `
  select item from statement_item
  where user_id = $1 and ${mayReadAccount} and (created_at, item_id) < ($4, $5) and created_at >= $6
  order by created_at desc, item_id desc limit $7`

/**
 * Reads one range of the primary key backwards from a position, so page 5,000 costs as much as page 1. The caller's
 * access is checked once, before the first row; without access there are no rows.
 */
export function eachReadableItem(
  db: Pick<HotReader, 'eachRow'>,
  caller: SessionKey,
  { before, from, limit }: PageRange & { readonly limit: number },
  sink: ByteSink,
): Promise<void> {
  return db.eachRow(readableItems, [...sessionOf(caller), before.createdAt, before.itemId, from, limit], sink)
}
