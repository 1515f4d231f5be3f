import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Books } from './books.ts'
import type { Load, Seen } from './load.ts'

const page = join(import.meta.dirname, '../../../docs/drills.md')

type Report = {
  readonly load: Load
  readonly books: Books
  /** More figures: what was measured, and the value. */
  readonly figures?: Readonly<Record<string, string>>
}

/** Prints the figures of a drill. DRILL_RECORD=1 also writes them into docs/drills.md. */
export async function report(name: string, { load, books, figures = {} }: Report): Promise<void> {
  const rows = [
    ['Card messages', statusesOf(load.seen, 'card message')],
    ['Reads', statusesOf(load.seen, 'read')],
    ['Withdrawal requests', statusesOf(load.seen, 'withdrawal')],
    ['Longest time without a card decision', seconds(maxGap(load.seen))],
    ...Object.entries(figures),
    ['Acknowledged writes; lost; doubled', `${books.acknowledged}; ${books.lost}; ${books.doubled}`],
    ['Exit code of `reconcile`', String(books.reconcile)],
  ]
  const text = ['| Figure | Value |', '|---|---|', ...rows.map(([what, value]) => `| ${what} | ${value} |`)].join('\n')
  process.stdout.write(`\n${name}\n${text}\n`)
  if (process.env['DRILL_RECORD'] === undefined) return
  const commit = `${execFileSync('git', ['rev-parse', '--short', 'HEAD'])}`.trim()
  const when = `Measured on ${new Date().toISOString().slice(0, 10)}, at commit \`${commit}\`, on ${availableParallelism()} cores:`
  const [begin, end] = [`<!-- drill ${name} -->`, '<!-- end -->']
  const before = await readFile(page, 'utf8')
  const start = before.indexOf(begin)
  const stop = before.indexOf(end, start)
  if (start < 0 || stop < 0) throw new Error(`docs/drills.md has no place for ${name}`)
  await writeFile(page, `${before.slice(0, start)}${begin}\n${when}\n\n${text}\n\n${before.slice(stop)}`)
}

function statusesOf(seen: readonly Seen[], kind: Seen['kind']): string {
  const counts = new Map<string, number>()
  for (const each of seen) if (each.kind === kind) counts.set(each.result, (counts.get(each.result) ?? 0) + 1)
  return [...counts].map(([result, count]) => `${result} × ${count}`).join(', ')
}

/** Returns the longest time in milliseconds between two good responses to card messages. */
function maxGap(seen: readonly Seen[]): number {
  const times = seen
    .filter(({ kind, isGood }) => kind === 'card message' && isGood)
    .map(({ at }) => at)
    .sort((one, other) => one - other)
  return Math.max(0, ...times.slice(1).map((at, i) => at - (times[i] ?? at)))
}

/** Returns the results of the attempts of card messages that got no decision. A late decision is a decision. */
export const failedDecisions = (seen: readonly Seen[]): string[] =>
  seen
    .filter(({ kind, isGood, result }) => kind === 'card message' && !isGood && result !== 'TMO')
    .map(({ result }) => result)

/** Returns the results of all attempts that failed. A late decision is a decision. */
export const failedAttempts = (seen: readonly Seen[]): string[] =>
  seen.filter(({ isGood, result }) => !isGood && result !== 'TMO').map(({ kind, result }) => `${kind}: ${result}`)

/**
 * Returns the milliseconds from a time to the next good response to a card message, which may have been sent earlier.
 */
export function untilDecision(seen: readonly Seen[], from: number): number {
  const first = seen.find(({ kind, isGood, at }) => kind === 'card message' && isGood && at > from)
  if (first === undefined) throw new Error('no card decision followed')
  return first.at - from
}

export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`
