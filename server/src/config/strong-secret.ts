import type { SigningKey } from '../lib/signing-key.ts'

const minDistinctCharacters = 8
const requirement = `a random secret of your own (${minDistinctCharacters} or more different characters, no repeated pattern)`

/** The rule of production for secrets that an operator chooses. A generated secret passes it. */
export const strongSecret = {
  requirement,
  holds: (secret: string | null) => secret === null || isStrong(secret),
}

/** The same rule for keys of the form `id:secret`. */
export const strongKeys = {
  requirement,
  holds: (keys: SigningKey | readonly SigningKey[]) => [keys].flat().every(({ secret }) => isStrong(secret)),
}

/** Rejects secrets that were typed to satisfy the length. No rule can tell a random text from a chosen one. */
export function isStrong(secret: string): boolean {
  return new Set(secret).size >= minDistinctCharacters && !isRepetition(secret)
}

/** Returns whether a text repeats a shorter one. The last repetition may be incomplete. */
function isRepetition(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.slice(length) === text.slice(0, -length)) return true
  }
  return false
}
