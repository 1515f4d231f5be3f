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

/** Reads a time such as 2026-01-31T09:30:00Z. */
export function timeOf(text: string): string {
  const milliseconds = Date.parse(text)
  if (Number.isNaN(milliseconds)) throw new UsageError(`"${text}" is not a time. Write it like 2026-01-31T09:30:00Z.`)
  return new Date(milliseconds).toISOString()
}
