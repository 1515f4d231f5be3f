/** The data of a response, with the response itself. */
export type Reply<T> = { readonly data: T; readonly response: Response }

/** A call in progress: a promise of the data. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #reply: () => Promise<Reply<T>>

  constructor(reply: () => Promise<Reply<T>>) {
    this.#reply = reply
  }

  /** Returns the data together with the response, whose headers may be of interest. */
  withResponse(): Promise<Reply<T>> {
    return this.#reply()
  }

  // biome-ignore lint/suspicious/noThenProperty: a call is a promise
  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (!onData) return this.#data().then(onData, onError)
    return this.#reply().then(({ data }) => onData(data), onError)
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#data().catch(onError)
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.#data().finally(onEnd)
  }

  #data(): Promise<T> {
    return this.#reply().then(({ data }) => data)
  }
}

export type Page = { readonly data: readonly unknown[]; readonly pagination?: object }

export type ItemOf<T> = T extends { data: readonly (infer Item)[] } ? Item : never

/**
 * A list. Await it for one page, or iterate over the items of this page and all later ones:
 * `for await (const item of purser.statement.list())`. Requests are sent when they are needed.
 */
export class List<T> extends Call<T> implements AsyncIterable<ItemOf<T>> {
  readonly #items: () => AsyncGenerator<ItemOf<T>>

  constructor(reply: () => Promise<Reply<T>>, items: () => AsyncGenerator<ItemOf<T>>) {
    super(reply)
    this.#items = items
  }

  [Symbol.asyncIterator](): AsyncGenerator<ItemOf<T>> {
    return this.#items()
  }

  /** Returns at most `limit` items. */
  async toArray({ limit }: { readonly limit: number }): Promise<ItemOf<T>[]> {
    const items: ItemOf<T>[] = []
    if (limit <= 0) return items
    for await (const item of this) if (items.push(item) >= limit) break
    return items
  }
}
