import { UsageError } from './command.ts'

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Reads a duration such as `31d`. */
export function secondsOf(text: string): number {
  const [, digits, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  const factor = unitSeconds[unit]
  if (digits === undefined || factor === undefined)
    throw new UsageError(`"${text}" is not a duration. Write it like 31d.`)
  return Number(digits) * factor
}

const timePattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** Reads a day, which begins at midnight UTC, or a time with its zone. Other forms depend on the machine. */
export function timeOf(text: string): string {
  const milliseconds = timePattern.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(milliseconds)) {
    throw new UsageError(`"${text}" is not a time. Write it like 2026-01-31 or 2026-01-31T09:30:00Z.`)
  }
  return new Date(milliseconds).toISOString()
}
