import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describeMachine } from './machine.ts'

/** One line of the table. A figure without a goal explains a figure with one. */
export type Row = {
  readonly measure: string
  readonly what: string
  readonly figure: number
  readonly unit: '' | '×' | 'µs' | 'ms' | 's' | 'MB' | '%' | '/s' | 'buffers'
  readonly goal?: Goal
}
type Goal = { readonly atLeast: number } | { readonly atMost: number }

const folder = fileURLToPath(new URL('results', import.meta.url))

export function isReached({ figure, goal }: Row): boolean | null {
  if (goal === undefined) return null
  return 'atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.measure,
    row.what,
    `${number(row.figure)} ${row.unit}`.trim(),
    row.goal ? ('atLeast' in row.goal ? `≥ ${round(row.goal.atLeast)}` : `≤ ${round(row.goal.atMost)}`) : '',
    { true: 'yes', false: '**no**', null: '' }[`${isReached(row)}`],
  ])
  const head = ['measure', 'what', 'figure', 'goal', 'reached']
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((line) => line[i]?.length ?? 0)))
  const line = (texts: readonly string[]) => `| ${texts.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}

/** The commit at the start of the run. A run takes up to an hour, and another commit may follow meanwhile. */
const commit = git('rev-parse', '--short', 'HEAD') ?? 'uncommitted'

/** Writes a run as a table and as JSON. Returns the path of the table. */
export async function writeResult(rows: readonly Row[], settings: Readonly<Record<string, unknown>>): Promise<string> {
  const at = new Date().toISOString()
  const name = `${folder}/${at.slice(0, 16).replace('T', '-').replace(':', '')}-${commit}`
  const heading = `Benchmark of ${at.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${describeMachine()}`
  const flags = Object.entries(settings).map(([flag, value]) => `${flag} ${value}`)
  await mkdir(folder, { recursive: true })
  await writeFile(`${name}.md`, `# ${heading}\n\nSettings: ${flags.join(', ')}.\n\n${table(rows)}\n`)
  await writeFile(
    `${name}.json`,
    `${JSON.stringify({ at, commit, machine: describeMachine(), settings, rows }, null, 2)}\n`,
  )
  return `${name}.md`
}

export function git(...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return null
  }
}

function round(goal: number): number {
  return Number(goal.toPrecision(3))
}

function number(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure >= 10 ? figure.toFixed(1) : figure.toFixed(2)
}
