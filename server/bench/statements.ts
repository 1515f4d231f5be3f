import type { Reader } from '../src/db/db.ts'
import { asText } from '../src/db/lane.ts'

/** A statement as the service sends it. */
export type Statement = { readonly text: string; readonly values: readonly string[] }

/** The statement that a query function sends: the very text, not a copy that could grow old. */
export async function statementOf(query: (db: Reader) => Promise<unknown>): Promise<Statement> {
  const sent: Statement[] = []
  const note = async (text: string, values: readonly unknown[] = []) => {
    sent.push({ text, values: values.map((value) => String(asText(value))) })
    return []
  }
  await query({
    query: note,
    async eachRow(text, values) {
      await note(text, values)
    },
  })
  const [only, ...others] = sent
  if (only === undefined || others.length > 0) throw new Error(`one statement was expected, ${sent.length} were sent`)
  return only
}
