/** Reads all pages of a list, for screens that show it as one. */
export async function readAll<T>(list: AsyncIterable<T>): Promise<T[]> {
  const rows: T[] = []
  for await (const row of list) rows.push(row)
  return rows
}
