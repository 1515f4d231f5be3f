// pure
/** The maximum validity of an access token. A superseded key stays trusted for this long after its last signature. */
export const maxTokenSeconds = 86_400

/** The time from a key's publication to its first signature, in which verifiers refresh their cached key set. */
export const publicationSeconds = 600

export type KeyLife = {
  readonly kid: string
  readonly activeFrom: Date
  readonly retiredAt: Date | null
}

/** Returns the keys in signing order, without those that were retired before they could sign. */
export function inOrder<K extends KeyLife>(keys: readonly K[]): K[] {
  return keys
    .filter(({ activeFrom, retiredAt }) => retiredAt === null || retiredAt > activeFrom)
    .sort((a, b) => a.activeFrom.getTime() - b.activeFrom.getTime() || (a.kid < b.kid ? -1 : 1))
}

/** Returns the latest active key, which signs at `now`; null when there is none or it is retired. */
export function signingKey<K extends KeyLife>(ordered: readonly K[], now: Date): K | null {
  // If no key is active yet, this process's clock is behind the clock of the process that created the first key.
  const current = ordered.findLast(({ activeFrom }) => activeFrom <= now) ?? ordered[0]
  return current?.retiredAt === null ? current : null
}

/** Returns the published key that will sign next, or null. */
export function nextKey<K extends KeyLife>(ordered: readonly K[], now: Date): K | null {
  return ordered.find(({ activeFrom, retiredAt }) => activeFrom > now && retiredAt === null) ?? null
}

/**
 * Returns, by kid, the time at which trust in each key ends, in Unix milliseconds. A superseded key is trusted while a
 * token that it signed can be valid. For a retired key the time is 0.
 */
export function trustEnds(ordered: readonly KeyLife[]): ReadonlyMap<string, number> {
  const ends = ordered.map(({ kid, retiredAt }, index): [string, number] => {
    const successor = ordered[index + 1]
    if (retiredAt !== null) return [kid, 0]
    return [kid, successor ? successor.activeFrom.getTime() + maxTokenSeconds * 1000 : Number.POSITIVE_INFINITY]
  })
  return new Map(ends)
}
