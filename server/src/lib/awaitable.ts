/** What is often there already, and must not cost every request the hop through a promise. */
export type Awaitable<T> = T | Promise<T>

/** Goes on at once with what is there, and later with what is not. */
export function whenReady<T, R>(value: Awaitable<T>, go: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(go) : go(value)
}
