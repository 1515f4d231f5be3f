import { type Awaitable, type Loaded, loaded } from './awaitable.ts'

/**
 * A small table held in memory. Whoever needs it says how old it may be; one query serves all who wait.
 * Age is the process's own: the service's clock may be moved, and says nothing about when a row was read.
 */
export type Snapshot<T> = {
  read(oldestMilliseconds: number): Awaitable<T>
  /** The next reader gets a new one. */
  forget(): void
}

export function snapshot<T>(load: () => Promise<T>): Snapshot<T> {
  let held: { readonly loaded: Loaded<T>; readonly at: number } | null = null

  return {
    read(oldestMilliseconds) {
      if (held && performance.now() - held.at <= oldestMilliseconds) return held.loaded.value
      const forgetFailure = () => {
        if (held === fresh) held = null
      }
      const fresh = { loaded: loaded(load(), forgetFailure), at: performance.now() }
      held = fresh
      return fresh.loaded.value
    },
    forget() {
      held = null
    },
  }
}

/** One value for each key, made when first asked for, gone with the key. */
export function onePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    const found = made.get(key)
    if (found !== undefined) return found
    const value = make(key)
    made.set(key, value)
    return value
  }
}
