/** The one source of time. Everything that compares, stores or signs an instant asks it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}

/** 0 where there was nothing. */
export function secondsSince(at: Date | null, now: Date): number {
  return at === null ? 0 : (now.getTime() - at.getTime()) / 1000
}

/** The full hour that it belongs to. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000)
}
