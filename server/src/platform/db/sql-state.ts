import pg from 'pg'

/** Returns the SQLSTATE of a database error, the only part of it that code may branch on; null for other errors. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}
