import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import { clearCaches } from '../platform/cache/caches.ts'
import { sqlState } from '../platform/db/sql-state.ts'

/** SQLSTATE `object_not_in_prerequisite_state`, which `reset_sandbox` raises outside a sandbox's database. */
const notASandbox = '55000'

/**
 * Deletes all users, partners and operators, with everything about them. Resumes payouts and card approvals that a kill
 * switch had stopped. The clock keeps its time, and an attached chain keeps its blocks. The database itself rejects the
 * reset unless it belongs to a sandbox.
 */
export async function resetSandbox({ db, caches, log }: Pick<Ctx, 'db' | 'caches' | 'log'>): Promise<void> {
  try {
    await db.query('select reset_sandbox()')
  } catch (error) {
    if (sqlState(error) === notASandbox) throw new Refusal('NOT_A_SANDBOX')
    throw error
  }
  clearCaches(caches)
  log.warn({}, 'sandbox reset')
}
