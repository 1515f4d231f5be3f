// pure
import { createHash } from 'node:crypto'

/** A name that belongs to one user. The address of an account is in lower case, all others as they are shown. */
export type DirectoryName =
  `${'wallet' | 'account' | 'email' | 'applicant' | 'card' | 'card_token' | 'deposit_id' | 'withdrawal_id'}:${string}`

/**
 * Returns the directory's key of a name: the first 16 bytes of its SHA-256, written as a UUID. All kinds of names share
 * all pages of the index, so payments keep these pages in memory for every lookup (decision 0041).
 */
export function directoryKey(name: DirectoryName): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
