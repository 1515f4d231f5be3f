/**
 * Caches one value, such as the rows of a small table, and reloads it once it is too old. Concurrent readers share one
 * load. A failed load is not cached.
 */
export type CachedValue<T> = {
  /**
   * Returns a value that was loaded at most `maxAge` milliseconds ago. `now` defaults to the process's own clock.
   * Callers whose value ages by the service's clock pass that time, which may also move backwards.
   */
  read(maxAge: number, load: () => Promise<T>, now?: number): Promise<T>
  /** Evicts the value, so that the next reader reloads it. */
  clear(): void
}

export function cachedValue<T>(): CachedValue<T> {
  let entry: { readonly value: Promise<T>; readonly loadedAt: number } | null = null

  return {
    read(maxAge, load, now = performance.now()) {
      if (entry !== null && Math.abs(now - entry.loadedAt) <= maxAge) return entry.value
      const fresh = { value: load(), loadedAt: now }
      entry = fresh
      fresh.value.catch(() => {
        if (entry === fresh) entry = null
      })
      return fresh.value
    },
    clear() {
      entry = null
    },
  }
}
