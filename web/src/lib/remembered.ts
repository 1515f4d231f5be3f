/**
 * Returns a function that calls `make` once for the same texts. An `Intl` formatter costs far more to create than to
 * use.
 */
export function remembered<Given extends readonly string[], Made>(
  make: (...given: Given) => Made,
): (...given: Given) => Made {
  const known = new Map<string, Made>()
  return (...given) => {
    const key = given.join(' ')
    const made = known.get(key) ?? make(...given)
    known.set(key, made)
    return made
  }
}
