/** The validity of an access token never exceeds this, nor does the trust in a key after its last signature. */
export const longestTokenSeconds = 86_400

/** From a new key's publication to its first signature: verifiers that keep our key set have read it again by then. */
export const publicationSeconds = 600

export type KeyLife = {
  readonly kid: string
  readonly activeFrom: Date
  readonly retiredAt: Date | null
}

/** The order in which keys sign. A key that was retired before its turn never signed, so it supersedes none. */
export function inOrder<K extends KeyLife>(keys: readonly K[]): K[] {
  return keys
    .filter(({ activeFrom, retiredAt }) => retiredAt === null || retiredAt > activeFrom)
    .sort((a, b) => a.activeFrom.getTime() - b.activeFrom.getTime() || (a.kid < b.kid ? -1 : 1))
}

/** The key that signs at `now`: the latest whose time has come. Null: there is none, or it is retired. */
export function signingKey<K extends KeyLife>(ordered: readonly K[], now: Date): K | null {
  // Where no key's time has come, this process's clock is behind that of the one which made the first.
  const current = ordered.findLast(({ activeFrom }) => activeFrom <= now) ?? ordered[0]
  return current?.retiredAt === null ? current : null
}

/** Whether a key that is not retired waits for its turn. */
export function nextKey<K extends KeyLife>(ordered: readonly K[], now: Date): K | null {
  return ordered.find(({ activeFrom, retiredAt }) => activeFrom > now && retiredAt === null) ?? null
}

/**
 * Until when each key verifies, in milliseconds: those to come, the one that signs, and the one it succeeded for as long
 * as a token of it may be valid. A retired key's end has come.
 */
export function trustEnds(ordered: readonly KeyLife[]): ReadonlyMap<string, number> {
  const ends = ordered.map(({ kid, retiredAt }, index): [string, number] => {
    const successor = ordered[index + 1]
    if (retiredAt !== null) return [kid, 0]
    return [kid, successor ? successor.activeFrom.getTime() + longestTokenSeconds * 1000 : Number.POSITIVE_INFINITY]
  })
  return new Map(ends)
}
