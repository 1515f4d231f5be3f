import { expect } from 'vitest'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import type { TestService } from './service.ts'

/** The invariants of the books, of everybody in this service. */
export async function checkBooks({ ctx }: TestService): Promise<void> {
  const users = await ctx.db.query<{ userId: string }>('-- scanDue\nselect user_id as "userId" from account')
  for (const { userId } of users) expect(await checkUser(ctx, userId)).toEqual([])
}
