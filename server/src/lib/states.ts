/**
 * Returns what a table says about a state. Throws for an unknown state, such as one that a newer version wrote: it must
 * never get the treatment of another state.
 */
export function entryOf<State extends string, Entry>(table: Readonly<Record<State, Entry>>, state: State): Entry {
  if (!Object.hasOwn(table, state)) throw new Error(`the state "${state}" is unknown`)
  return table[state]
}
