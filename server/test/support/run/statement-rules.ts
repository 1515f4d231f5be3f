import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const migrations = join(import.meta.dirname, '../../../src/platform/db/migrations')

/** Tables that are not split by user: found by their own key, or the same for all. */
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
/** The service says the same few hundred statements again and again. */
const passed = new Set<string>()

/**
 * The rules that keep one SQL for one machine and for many (on one machine a breach goes unnoticed):
 * every statement on a user table names its user, but for the scans of due work; nothing volatile, nothing session-wide.
 */
export function assertStatementRules(text: string): void {
  if (passed.has(text)) return
  judge(text)
  passed.add(text)
}

function judge(text: string): void {
  const breach = (rule: string) => {
    throw new Error(`${rule}: ${text}`)
  }
  if (/\b(now|random|gen_random_uuid|clock_timestamp|current_timestamp|nextval)\b\s*(\(|$)/i.test(text))
    breach('volatile function')
  if (/\b(pg_advisory\w*|listen|create temp|set session|set local)\b/i.test(text)) breach('session state')
  if (/^\s*-- scanDue/.test(text)) return
  const namesUser = /\buser_id\s*=\s*(any\s*\(\s*)?\$\d+/i.test(text)
  for (const table of tables) {
    const isSearched = new RegExp(`\\b(from|join|update)\\s+${table}\\b`, 'i').test(text)
    if (isSearched && !namesUser) breach(`a statement on ${table} does not name its user`)
    const isFilled = new RegExp(`\\binto\\s+${table}\\b`, 'i').test(text)
    const namesUserFirst = new RegExp(`\\binto\\s+${table}\\s*\\(\\s*user_id\\b`, 'i').test(text)
    if (isFilled && !namesUserFirst) breach(`an insert into ${table} does not begin with its user`)
  }
}
