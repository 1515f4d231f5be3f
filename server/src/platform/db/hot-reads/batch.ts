/**
 * Runs all reads of one SQL text that arrive in one turn of the event loop as one statement. Each parameter of the
 * statement is the array of the callers' values; the column `at`, counted from 1, identifies the caller of a row.
 */
export type Batch = <Row extends BatchRow>(text: string, values: readonly unknown[]) => Promise<Row[]>

export type BatchRow = { readonly at: number }

type Run = (text: string, values: readonly (readonly unknown[])[]) => Promise<BatchRow[]>

type Group = {
  readonly columns: readonly unknown[][]
  readonly settle: ((error: unknown, rows: BatchRow[]) => void)[]
}

/** Bounds the time that the first caller of a batch waits. */
const maxCallers = 100

export function createBatch(run: Run): Batch {
  /** The open group of each SQL text. */
  const groups = new Map<string, Group>()

  function open(text: string, width: number): Group {
    const group: Group = { columns: Array.from({ length: width }, () => []), settle: [] }
    groups.set(text, group)
    setImmediate(() => {
      if (groups.get(text) === group) groups.delete(text)
      runGroup(text, group)
    })
    return group
  }

  return <Row extends BatchRow>(text: string, values: readonly unknown[]) => {
    const group = groups.get(text) ?? open(text, values.length)
    for (const [i, column] of group.columns.entries()) column.push(values[i])
    if (group.settle.length + 1 === maxCallers) groups.delete(text)
    return new Promise<Row[]>((resolve, reject) => {
      // The row type matches the caller's SQL; the flow tests prove each against the real database.
      group.settle.push((error, rows) => (error === null ? resolve(rows as Row[]) : reject(error)))
    })
  }

  function runGroup(text: string, { columns, settle }: Group): void {
    run(text, columns).then(
      (rows) => {
        const own: BatchRow[][] = settle.map(() => [])
        for (const row of rows) own[row.at - 1]?.push(row)
        for (const [i, each] of settle.entries()) each(null, own[i] ?? [])
      },
      (error) => {
        for (const each of settle) each(error, [])
      },
    )
  }
}
