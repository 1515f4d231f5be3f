import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distributeSql, placedTables } from '../../../src/platform/db/distribute.ts'
import { bareSql, type Scope, scopesOf } from './sql-scopes.ts'

const folder = join(import.meta.dirname, '../../../src/platform/db/migrations')
/** The text of each migration, by its file name. */
export const migrations: ReadonlyMap<string, string> = new Map(
  readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
)

/** Tables that have a `user_id`, but are not split by it. Their rows are found by another key. */
const otherTables = new Set(['directory', 'payout_transaction'])

function userTables(): string[] {
  const tables = [...[...migrations.values()].join('\n').matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)]
  return tables.flatMap(([, name = '', body = '']) =>
    /\buser_id uuid/.test(body) && !otherTables.has(name) ? [name] : [],
  )
}

const tables = new Set(userTables())
const places = readFileSync(distributeSql, 'utf8')
const placed = new Set(placedTables(places))
/** The tables that are split by a key of their own, with that key. */
const keyOfTable: ReadonlyMap<string, string> = new Map(
  [...places.matchAll(/create_distributed_table\('(\w+)', '(\w+)', colocate_with => 'none'\)/g)].map(
    ([, table = '', key = '']) => [table, key],
  ),
)
/** Begins a statement of a test that writes rows in bulk, or as an insider would. The service has none. */
export const testMarker = '-- by a test'

/** Statements that passed. The service repeats the same few hundred statements. */
const passed = new Set<string>()

/**
 * Checks that the SQL also works on a database that is split by user. A single server would accept violations. Every
 * statement names its user for each alias of a user table, and a key for each table that is split by another key,
 * except scans of due work. Lists of users and keys are not empty. Writes are plain `values`, and their conflicts have
 * no slice of an array. Volatile functions and session state are rejected.
 */
export function assertStatementRules(text: string, values: readonly unknown[] = []): void {
  const [broken] = passed.has(text) ? [] : brokenStatementRules(text)
  const rule = broken ?? brokenValueRule(text, values)
  if (rule !== undefined) throw new Error(`${rule}: ${text}`)
  passed.add(text)
}

const isOfTest = (text: string) => text.trimStart().startsWith(testMarker)
const isScan = (text: string) => /^\s*-- scanDue/.test(text)

/** Returns the rules that a statement breaks. */
export function brokenStatementRules(text: string): string[] {
  if (isOfTest(text)) return []
  const sql = bareSql(text)
  const broken: string[] = []
  if (/\b(now|random|gen_random_uuid|clock_timestamp|current_timestamp|nextval)\b\s*(\(|$)/i.test(sql))
    broken.push('volatile function')
  if (/\b(pg_advisory\w*|listen|create temp|set session|set local)\b/i.test(sql)) broken.push('session state')
  const within = [...sql.matchAll(/\bas\s*(?:(?:not\s+)?materialized\s*)?\(\s*insert\s+into\s+(\w+)/gi)]
  if (within.some(([, table = '']) => tables.has(table))) broken.push('an insert in a WITH query')
  if (/\bhaving\b[^;]*\(\s*select\b/i.test(sql)) broken.push('a subquery in having')
  // One colon is a slice, and two are a cast. Citus crashes on a slice in 'on conflict'.
  if (/\bon\s+conflict\b.*\[[^\]]*(?<!:):(?!:)[^\]]*\]/is.test(sql)) broken.push('a slice of an array in a conflict')
  broken.push(...brokenInserts(sql), ...insertedSubqueries(sql))
  const scopes = scopesOf(sql)
  const unbound = isScan(text) ? [] : scopes.flatMap((scope) => [...unboundAliases(scope), ...unboundKeys(scope)])
  return [...broken, ...scopes.flatMap(dependentSubqueries), ...unbound]
}

const listOfKeys = new RegExp(
  String.raw`\b(${['user_id', ...keyOfTable.values()].join('|')})\s*=\s*any\s*\(\s*\$(\d+)`,
  'gi',
)

/**
 * Returns the rule that a statement breaks with its values: no node has the rows of an empty list, so all nodes are
 * asked.
 */
export function brokenValueRule(text: string, values: readonly unknown[]): string | undefined {
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0
  // Statements are frequent, and empty lists are rare.
  if (!values.some(isEmpty) || isOfTest(text) || isScan(text)) return undefined
  const [, key] = [...text.matchAll(listOfKeys)].find(([, , number]) => isEmpty(values[Number(number) - 1])) ?? []
  return key === undefined ? undefined : `the list of ${key} is empty`
}

function brokenInserts(sql: string): string[] {
  return [...sql.matchAll(/\binsert\s+into\s+(\w+)(?:\s+as\s+\w+)?\s*(\([^)]*\))?\s*(\w*)/gi)].flatMap(
    ([, table = '', columns = '', source = '']) => {
      if (!tables.has(table)) return []
      if (!/^\(\s*user_id\b/i.test(columns)) return [`an insert into ${table} does not begin with its user`]
      return source.toLowerCase() === 'values' ? [] : [`an insert into ${table} does not take values`]
    },
  )
}

/**
 * Returns a broken rule for each insert with a subquery in its `values` or `on conflict`. Tables of the coordinator may
 * have one.
 */
function insertedSubqueries(sql: string): string[] {
  return [...sql.matchAll(/\binsert\s+into\s+(\w+)[^;]*?\bvalues\b(.*)/gis)].flatMap(([, table = '', rest = '']) =>
    placed.has(table) && /\(\s*select\b/i.test(statementPart(rest)) ? [`an insert into ${table} has a subquery`] : [],
  )
}

/** Returns the text up to the parenthesis that closes a common table expression around it. */
function statementPart(rest: string): string {
  let depth = 0
  for (let i = 0; i < rest.length; i++) {
    if (rest[i] === '(') depth++
    if (rest[i] === ')' && --depth < 0) return rest.slice(0, i)
  }
  return rest
}

/**
 * Returns a broken rule for each alias of a user table that is not bound to a parameter. An equal column of another
 * table is not enough.
 */
function unboundAliases({ text, sources }: Scope): string[] {
  const read = sources.filter(({ table }) => tables.has(table))
  const unbound = read.filter(({ alias }) => {
    const names = read.length === 1 ? `(?:${alias}\\.)?` : `${alias}\\.`
    return !new RegExp(`(?<![.\\w])${names}user_id\\s*=\\s*(?:any\\s*\\(\\s*)?(?:\\$\\d+|p_user_id\\b)`, 'i').test(text)
  })
  return unbound.map(({ table, alias }) => `${table === alias ? table : `${table} ${alias}`} does not name its user`)
}

/** Returns a broken rule for each table that is split by a key of its own, if that key is not bound to a parameter. */
function unboundKeys({ text, sources }: Scope): string[] {
  return sources.flatMap(({ table, alias }) => {
    const key = keyOfTable.get(table)
    if (key === undefined) return []
    const bound = `(?<![.\\w(])(?:${alias}\\.)?${key}\\s*=\\s*(?:any\\s*\\(\\s*(?:string_to_array\\s*\\(\\s*)?)?\\$\\d+`
    return new RegExp(bound, 'i').test(text) ? [] : [`${table} is not read by its ${key}`]
  })
}

/** Finds subqueries on user tables that refer to a common table expression or to another subquery. */
function dependentSubqueries({ text, sources, outer }: Scope): string[] {
  if (!sources.some(({ table }) => tables.has(table))) return []
  return outer
    .filter(({ alias, isDerived }) => isDerived && new RegExp(`\\b${alias}\\.`).test(text))
    .map(({ alias }) => `a subquery depends on ${alias}, which is not a table`)
}

/**
 * Returns a broken rule for each column that a migration adds together with its check. A table that is already split by
 * user rejects such a statement.
 */
export function brokenMigrationRules(text: string): string[] {
  const adding = [...bareSql(text).matchAll(/\badd\s+(?:column\s+)?(?!constraint\b)(\w+)\s[^,;]*\bcheck\b/gi)]
  return adding.map(([, column]) => `the column ${column} is added with its check: add a named constraint after it`)
}

/** Returns the statements of the functions that the migrations create, by function. */
export function functionStatements(): Map<string, string[]> {
  const found = [...migrations.values()].flatMap((text) => [
    ...text.matchAll(/^create function (\w+)[\s\S]*?language plpgsql\b[^$]*as \$\$([\s\S]*?)\$\$;/gm),
  ])
  return new Map(found.map(([, name = '', body = '']) => [name, statementsOf(body)]))
}

function statementsOf(body: string): string[] {
  const keywords = /\b(?:begin|then|else|loop)\b/gi
  return bareSql(body)
    .replace(keywords, ';')
    .split(';')
    .filter((part) => /\b(select|perform|insert|update|delete)\b/i.test(part))
    .map((part) => part.trim().replace(/^perform\b/i, 'select'))
}
