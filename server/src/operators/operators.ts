import { isTestAccount } from '../config/test-accounts.ts'
import type { Ctx } from '../context.ts'
import { newId } from '../lib/id.ts'
import type { Queryable } from '../platform/db/db.ts'
import { findOperator, findOperators, insertOperator, insertPerson, type Operator } from './sql.ts'

/**
 * Operators: wallets that may sign in for the programme, and the people who hold them. Owns `operator` and
 * `operator_person`. Requests of operators run under the database role `operator`.
 *
 * Invariants:
 * - A wallet belongs to one person. A person may have several wallets.
 * - A removed operator keeps its row, and its sessions end at once in all processes.
 */
export type OperatorsCtx = Pick<Ctx, 'config' | 'db' | 'clock'>

export type { Operator }

/** Returns the operators, the removed ones last. */
export function listOperators({ db }: Pick<OperatorsCtx, 'db'>): Promise<Operator[]> {
  return findOperators(db)
}

/** Returns the operator with this wallet; null for other wallets, and in production for those whose key is public. */
export async function findActiveOperator(
  { config }: Pick<OperatorsCtx, 'config'>,
  db: Queryable,
  address: string,
): Promise<Operator | null> {
  if (config.mode === 'production' && isTestAccount(address)) return null
  const operator = await findOperator(db, address)
  return operator?.removedAt === null ? operator : null
}

/** Adds the test operator of a sandbox when it signs in for the first time. An operator may remove it for good. */
export async function addTestOperator(ctx: OperatorsCtx, address: string): Promise<void> {
  if (address !== ctx.config.testOperator) return
  await ctx.db.transaction(async (tx) => {
    if ((await findOperator(tx, address)) !== null) return
    const createdAt = ctx.clock.now()
    const personId = newId(createdAt)
    await insertPerson(tx, { personId, name: 'Test operator' }, createdAt)
    const added = { address, contractChainId: null, personId, role: 'admin', addedBy: 'sandbox', createdAt } as const
    await insertOperator(tx, added)
  })
}
