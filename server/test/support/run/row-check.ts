import type pg from 'pg'
import { Compile, type Validator } from 'typebox/compile'
import type { StatementObserver } from '../../../src/platform/db/db.ts'
import type { ResultColumn } from '../../../src/platform/db/hot-reads/pipeline.ts'
import { rowShapeOf } from '../../../src/platform/db/row-shapes.ts'
import { run } from './cluster.ts'
import { stateColumns } from './state-columns.ts'
import { assertStatementRules, testMarker } from './statement-rules.ts'

const validators = new Map<string, Validator | null>()

function validatorOf(text: string): Validator | null {
  let validator = validators.get(text)
  if (validator === undefined) {
    const shape = rowShapeOf(text)
    validator = shape === undefined ? null : Compile(shape)
    validators.set(text, validator)
  }
  return validator
}

/** The names of the columns with states, by the ids that PostgreSQL describes a result with. */
type StateColumnNames = ReadonlyMap<string, string>

const idOf = ({ tableID, columnID }: Pick<ResultColumn, 'tableID' | 'columnID'>) => `${tableID}.${columnID}`

async function readStateColumns(connection: pg.ClientConfig): Promise<StateColumnNames> {
  const found = await run<{ tableID: number; columnID: number; name: string }>(
    connection,
    `select attrelid as "tableID", attnum as "columnID", relname || '.' || attname as name
     from pg_attribute join pg_class c on c.oid = attrelid where relname || '.' || attname = any($1)`,
    [Object.keys(stateColumns)],
  )
  return new Map(found.map((column) => [idOf(column), column.name]))
}

/** All copies of the template have the same ids. */
let namesOfCopies: Promise<StateColumnNames> | null = null

function stateColumnNames(connection: pg.ClientConfig, isCopy: boolean): Promise<StateColumnNames> {
  if (!isCopy) return readStateColumns(connection)
  namesOfCopies ??= readStateColumns(connection)
  return namesOfCopies
}

/** The names that statements give to columns with states: `chainState` for `chain_state`. */
const namesOfStates = new Set(
  Object.keys(stateColumns).map((column) =>
    column.replace(/^\w+\./, '').replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ),
)

/**
 * Returns an observer that checks each statement of a test, and the rows that come back. A state must be in the list of
 * its column, wherever the statement reads it. PostgreSQL does not name the column of a union or subquery, so such a
 * statement declares the shape of its rows, and the rows must have it. `isCopy` says that the database is a copy of the
 * template.
 */
export async function observeDatabase(connection: pg.ClientConfig, isCopy: boolean): Promise<StatementObserver> {
  const names = await stateColumnNames(connection, isCopy)
  // The rows of other nodes come without the names of their tables.
  const namesTables = process.env['TEST_CLUSTER'] === undefined
  return (text, values) => {
    assertStatementRules(text, values)
    return (rows, columns) => {
      for (const column of columns) {
        if (namesTables && column.tableID === 0 && namesOfStates.has(column.name)) requireShape(text, column.name)
        const name = names.get(idOf(column))
        if (name !== undefined) for (const row of rows) assertState(name, cellOf(row, column.name))
      }
      checkShape(text, rows)
    }
  }
}

function requireShape(text: string, name: string): void {
  if (rowShapeOf(text) === undefined && !text.startsWith(testMarker))
    throw new Error(`declare the shape of the rows, because "${name}" comes from an expression: ${text}`)
}

const cellOf = (row: unknown, name: string): unknown => Object(row)[name]

function assertState(column: string, value: unknown): void {
  const states = stateColumns[column] ?? []
  for (const state of [value].flat())
    if (state !== null && !states.includes(String(state))) throw new Error(`${column} has no state "${state}"`)
}

/** Checks rows against the shape that their statement declares. */
export function checkShape(text: string, rows: readonly unknown[]): void {
  const validator = validatorOf(text)
  if (validator === null) return
  const wrong = rows.find((row) => !validator.Check(row))
  if (wrong === undefined) return
  const [error] = validator.Errors(wrong)
  throw new Error(`a row's ${error?.instancePath} ${error?.message}: ${text}`)
}
