import type { HotReader } from '../server/src/platform/db/db.ts'
import { asText } from '../server/src/platform/db/hot-reads/pipeline.ts'

/** One statement with its values as text. */
export type Statement = { readonly text: string; readonly values: readonly string[] }

/** Returns the statement that a query function sends, so that the benchmark always uses the current SQL. */
export async function statementOf(query: (db: Pick<HotReader, 'eachRow'>) => Promise<unknown>): Promise<Statement> {
  const sent: Statement[] = []
  await query({
    async eachRow(text, values) {
      sent.push({ text, values: values.map((value) => String(asText(value))) })
    },
  })
  const [only, ...others] = sent
  if (only === undefined || others.length > 0)
    throw new Error(`the query function sent ${sent.length} statements instead of one`)
  return only
}
