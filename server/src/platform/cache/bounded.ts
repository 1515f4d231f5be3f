/** Keeps one more of what can be made again; of the `most` that are kept, the one that came first goes. */
export function keepBounded<Key, Value>(kept: Map<Key, Value>, key: Key, value: Value, most: number): void {
  const [oldest] = kept.keys()
  if (kept.size >= most && oldest !== undefined && !kept.has(key)) kept.delete(oldest)
  kept.set(key, value)
}
