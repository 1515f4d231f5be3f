/** A source of rows that a query names. */
type Source = {
  readonly table: string
  readonly alias: string
  /** Whether the rows come from a common table expression or a subquery, and not from a table of the database. */
  readonly isDerived: boolean
}

/** One query or one of its subqueries. */
export type Scope = {
  /** Its text, without its subqueries. */
  readonly text: string
  readonly sources: readonly Source[]
  /** The sources of the queries around it, which it may refer to. */
  readonly outer: readonly Source[]
}

/** Returns SQL without comments and without the contents of its strings. */
export function bareSql(text: string): string {
  return text.replace(/--[^\n]*/g, '').replace(/'(?:[^']|'')*'/g, "''")
}

const query = /^\s*(?:with|select|insert|update|delete|values)\b/i

/** Returns the scopes of a statement: each of its queries, with subqueries and the parts of a union on their own. */
export function scopesOf(sql: string): Scope[] {
  const expressions = [
    ...sql.matchAll(/\b(\w+)\s+as\s*(?:(?:not\s+)?materialized\s*)?\(\s*(?:select|insert|update|delete|with)\b/gi),
  ]
  const names = new Set(expressions.map(([, name = '']) => name))
  return read(sql, names, [])
}

function read(sql: string, expressions: ReadonlySet<string>, outer: readonly Source[]): Scope[] {
  const { text, subqueries } = cut(sql)
  return text.split(/\b(?:union(?:\s+all)?|intersect|except)\b/i).flatMap((part) => {
    const sources = sourcesOf(part, expressions)
    const inner = [...part.matchAll(/\(#(\d+)\)/g)].flatMap(([, n]) =>
      read(subqueries[Number(n)] ?? '', expressions, [...outer, ...sources]),
    )
    return [{ text: part, sources, outer }, ...inner]
  })
}

/** Replaces each outermost subquery by its number. */
function cut(sql: string): { text: string; subqueries: string[] } {
  const subqueries: string[] = []
  let text = ''
  for (let i = 0; i < sql.length; i++) {
    const end = sql[i] === '(' && query.test(sql.slice(i + 1)) ? closing(sql, i) : i
    if (end > i) {
      text += `(#${subqueries.length})`
      subqueries.push(sql.slice(i + 1, end))
      i = end
    } else {
      text += sql[i]
    }
  }
  return { text, subqueries }
}

function closing(sql: string, start: number): number {
  let depth = 0
  for (let i = start; i < sql.length; i++) {
    if (sql[i] === '(') depth++
    if (sql[i] === ')' && --depth === 0) return i
  }
  return sql.length
}

const notAnAlias =
  /^(?:where|set|on|using|join|left|right|inner|cross|full|order|group|limit|for|returning|union|values|select|lateral|with|natural|offset|having|into|window|fetch)$/i

/**
 * Returns the tables and subqueries that the text names after `from`, `join`, `update`, `using` or a comma of `from`.
 */
function sourcesOf(text: string, expressions: ReadonlySet<string>): Source[] {
  const item = String.raw`(?:only\s+)?(?:lateral\s+)?(\(#\d+\)|[\w.]+(?:\s*\()?)(?:\s+(?:as\s+)?(\w+))?`
  const heads = new RegExp(String.raw`\b(?:from|join|update|using)\s+${item}`, 'gi')
  const sources: Source[] = []
  const add = (name: string, alias = '') => {
    // A call of a function has no rows of its own.
    if (name.endsWith('(')) return
    const isSubquery = name.startsWith('(')
    const isAlias = alias !== '' && !notAnAlias.test(alias)
    if (isSubquery && !isAlias) return
    sources.push({ table: name, alias: isAlias ? alias : name, isDerived: isSubquery || expressions.has(name) })
  }
  for (const [, name = '', alias] of text.matchAll(heads)) add(name, alias)
  for (const [list] of text.matchAll(/\bfrom\b[\s\S]*?(?=\bwhere\b|\border\b|\bgroup\b|\blimit\b|\breturning\b|$)/gi)) {
    const flat = list.replace(/\((?!#)[^()]*\)/g, '')
    for (const [, name = '', alias] of flat.matchAll(new RegExp(String.raw`,\s*${item}`, 'gi'))) add(name, alias)
  }
  return sources
}
