import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const migrations = join(import.meta.dirname, '../../../src/platform/db/migrations')

/** Tables that are not split by user. Their rows are found by another key. */
const otherTables = new Set(['directory', 'payout_transaction', 'partner_user'])

function userTables(): string[] {
  const sql = readdirSync(migrations)
    .map((file) => readFileSync(join(migrations, file), 'utf8'))
    .join('\n')
  const tables = [...sql.matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)]
  return tables.flatMap(([, name = '', body = '']) =>
    /\buser_id uuid/.test(body) && !otherTables.has(name) ? [name] : [],
  )
}

const tables = userTables()
/** Statements that passed. The service repeats the same few hundred statements. */
const passed = new Set<string>()

/**
 * Checks that the SQL also works on a database that is split by user, where a single machine hides violations. Every
 * statement on a user table names its user, except scans of due work. Volatile functions and session state are rejected.
 */
export function assertStatementRules(text: string): void {
  if (passed.has(text)) return
  check(text)
  passed.add(text)
}

function check(text: string): void {
  const reject = (rule: string) => {
    throw new Error(`${rule}: ${text}`)
  }
  if (/\b(now|random|gen_random_uuid|clock_timestamp|current_timestamp|nextval)\b\s*(\(|$)/i.test(text))
    reject('volatile function')
  if (/\b(pg_advisory\w*|listen|create temp|set session|set local)\b/i.test(text)) reject('session state')
  if (/^\s*-- scanDue/.test(text)) return
  const namesUser = /\buser_id\s*=\s*(any\s*\(\s*)?\$\d+/i.test(text)
  for (const table of tables) {
    const isRead = new RegExp(`\\b(from|join|update)\\s+${table}\\b`, 'i').test(text)
    if (isRead && !namesUser) reject(`a statement on ${table} does not name its user`)
    const isInserted = new RegExp(`\\binto\\s+${table}\\b`, 'i').test(text)
    const namesUserFirst = new RegExp(`\\binto\\s+${table}\\s*\\(\\s*user_id\\b`, 'i').test(text)
    if (isInserted && !namesUserFirst) reject(`an insert into ${table} does not begin with its user`)
  }
}
