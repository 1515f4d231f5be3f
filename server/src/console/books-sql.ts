import type { MovementKind } from '../ledger/movements.ts'
import type { Queryable } from '../platform/db/db.ts'

export type MovementRow = {
  readonly seq: bigint
  readonly kind: MovementKind
  readonly refId: string
  readonly createdAt: Date
}

/** Returns the movements of a user below a number, newest first. */
export function findMovementsBefore(
  db: Queryable,
  userId: string,
  below: string | undefined,
  limit: number,
): Promise<MovementRow[]> {
  return db.query<MovementRow>(
    `select seq, kind, ref_id as "refId", created_at as "createdAt" from movement
     where user_id = $1 and seq < $2 order by seq desc limit $3`,
    [userId, below, limit],
  )
}
