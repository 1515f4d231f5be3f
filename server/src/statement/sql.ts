import type { Queryable } from '../db/db.ts'
import type { UserCaller } from '../http/access.ts'
import { mayReadAccount } from '../users/users.ts'
import type { Position } from './rules.ts'

/** `createdAt` stays the database's text: only the last row's is ever read, so the driver makes no date of each. */
export type StoredItem = { readonly item: string; readonly itemId: string; readonly createdAt: string }

/**
 * One range of the primary key, read backwards from a place in it: as fast on page 5,000 as on page 1. The caller's
 * access is checked once, before the first row; empty as well when there is none.
 */
export async function findReadableItems(
  db: Queryable,
  caller: UserCaller,
  { before, from }: { before: Position; from: Date },
  limit: number,
): Promise<StoredItem[]> {
  return db.query<StoredItem>(
    `select item, item_id as "itemId", created_at::text as "createdAt" from statement_item
     where user_id = $1 and ${mayReadAccount} and (created_at, item_id) < ($3, $4) and created_at >= $5
     order by created_at desc, item_id desc limit $6`,
    [caller.userId, caller.signerAddress, before.createdAt, before.itemId, from, limit],
  )
}
