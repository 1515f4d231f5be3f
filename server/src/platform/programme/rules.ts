// pure
import type { Mode } from '../../config/setting.ts'

/** The identity of a database: the mode of its first start, and every chain that its tokens have been on. */
export type Programme = { readonly mode: Mode; readonly chainIds: readonly number[] }

/**
 * Returns the reason why a configuration must not use a database, or null. The mode never changes: a sandbox on a
 * production database could create money that the next start pays out. Chains may be added, and retired one by one. A
 * configuration that shares no chain with the programme was written for another one. It would leave the users' deposit
 * addresses unwatched.
 */
export function findMismatch(stored: Programme, own: Programme): string | null {
  const otherMode = findOtherMode(stored.mode, own.mode)
  if (otherMode !== null || sharesChain(stored, own)) return otherMode
  return `TOKENS must keep a chain of this programme (${stored.chainIds.join(', ')}), because its users have deposit addresses there.`
}

/**
 * Returns the reason why a process of a mode must not use the database of another, not even to apply migrations; or
 * null.
 */
export function findOtherMode(stored: Mode, own: Mode): string | null {
  if (stored === own) return null
  return `MODE must be ${stored}, not ${own}, because this database belongs to a ${stored} programme. Correct MODE, or use another database.`
}

export function sharesChain(stored: Programme, own: Programme): boolean {
  return own.chainIds.some((chainId) => stored.chainIds.includes(chainId))
}
