import type { Reader } from '../server/src/platform/db/db.ts'
import { asText } from '../server/src/platform/db/hot-reads/pipeline.ts'

/** A statement as the service sends it. */
export type Statement = { readonly text: string; readonly values: readonly string[] }

/** The statement that a query function sends: the very text, not a copy that could grow old. */
export async function statementOf(query: (db: Pick<Reader, 'eachRow'>) => Promise<unknown>): Promise<Statement> {
  const sent: Statement[] = []
  await query({
    async eachRow(text, values) {
      sent.push({ text, values: values.map((value) => String(asText(value))) })
    },
  })
  const [only, ...others] = sent
  if (only === undefined || others.length > 0) throw new Error(`one statement was expected, ${sent.length} were sent`)
  return only
}
