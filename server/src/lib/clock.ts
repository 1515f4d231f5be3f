/** The only source of time for everything that compares, stores or signs an instant. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}

/** Returns the seconds since an instant; 0 for null. */
export function secondsSince(at: Date | null, now: Date): number {
  return at === null ? 0 : (now.getTime() - at.getTime()) / 1000
}

/** Returns the start of the hour of an instant. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000)
}
