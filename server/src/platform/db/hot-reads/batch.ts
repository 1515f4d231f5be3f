/**
 * Reads of the same kind that are asked for in one turn of the event loop, answered by one statement: each of its
 * parameters is the array of theirs, and `at`, counted from 1, says whose a row is. A statement for a few users costs
 * PostgreSQL hardly more than one for a single user.
 */
export type Together = <Row extends PlacedRow>(text: string, values: readonly unknown[]) => Promise<Row[]>

export type PlacedRow = { readonly at: number }

type Run = (text: string, values: readonly (readonly unknown[])[]) => Promise<PlacedRow[]>

type Group = {
  readonly columns: readonly unknown[][]
  readonly settle: ((error: unknown, rows: PlacedRow[]) => void)[]
}

/** More would make those wait that came first. */
const most = 100

export function readTogether(run: Run): Together {
  /** By text, who asks in this turn. */
  const groups = new Map<string, Group>()

  function open(text: string, width: number): Group {
    const group: Group = { columns: Array.from({ length: width }, () => []), settle: [] }
    groups.set(text, group)
    setImmediate(() => {
      if (groups.get(text) === group) groups.delete(text)
      answer(text, group)
    })
    return group
  }

  return <Row extends PlacedRow>(text: string, values: readonly unknown[]) => {
    const group = groups.get(text) ?? open(text, values.length)
    for (const [i, column] of group.columns.entries()) column.push(values[i])
    if (group.settle.length + 1 === most) groups.delete(text)
    return new Promise<Row[]>((resolve, reject) => {
      // The row type is what the caller's SQL selects; the flows prove each against the real database.
      group.settle.push((error, rows) => (error === null ? resolve(rows as Row[]) : reject(error)))
    })
  }

  function answer(text: string, { columns, settle }: Group): void {
    run(text, columns).then(
      (rows) => {
        const own: PlacedRow[][] = settle.map(() => [])
        for (const row of rows) own[row.at - 1]?.push(row)
        for (const [i, each] of settle.entries()) each(null, own[i] ?? [])
      },
      (error) => {
        for (const each of settle) each(error, [])
      },
    )
  }
}
