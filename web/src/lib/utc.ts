/** Converts a local time, as an input has it, to UTC. Returns undefined for unfinished or invalid input. */
export function utcOf(local: string | null): string | undefined {
  const time = local === null ? Number.NaN : Date.parse(local)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
