/** What is often there already, and must not cost every request the hop through a promise. */
export type Awaitable<T> = T | Promise<T>

/** What is being loaded, and from then on what was. */
export type Loaded<T> = { readonly value: Awaitable<T> }

/** `onFailure`, since a failure is told to those who wait for it, and not to be kept. */
export function loaded<T>(loading: Promise<T>, onFailure: () => void): Loaded<T> {
  const held: { value: Awaitable<T> } = { value: loading }
  loading.then((value) => {
    held.value = value
  }, onFailure)
  return held
}

/** Goes on at once with what is there, and later with what is not. */
export function whenReady<T, R>(value: Awaitable<T>, go: (value: T) => Promise<R>): Promise<R>
export function whenReady<T, R>(value: Awaitable<T>, go: (value: T) => Awaitable<R>): Awaitable<R>
export function whenReady<T, R>(value: Awaitable<T>, go: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(go) : go(value)
}
