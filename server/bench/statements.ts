import type { Queryable } from '../src/db/db.ts'

/** A statement as the service sends it. */
export type Statement = { readonly text: string; readonly values: readonly string[] }

/** The statement that a query function sends: the very text, not a copy that could grow old. */
export async function statementOf(query: (db: Queryable) => Promise<unknown>): Promise<Statement> {
  const sent: Statement[] = []
  await query({
    async query(text, values = []) {
      sent.push({ text, values: values.map(asText) })
      return []
    },
  })
  const [only, ...others] = sent
  if (only === undefined || others.length > 0) throw new Error(`one statement was expected, ${sent.length} were sent`)
  return only
}

/** As PostgreSQL reads it: a year past 9999 has no sign there. */
function asText(value: unknown): string {
  return value instanceof Date ? value.toISOString().replace(/^\+0*/, '') : String(value)
}
