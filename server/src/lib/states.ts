/**
 * Returns the entry of a table for a state. Throws for an unknown state, such as one that a newer version wrote, which
 * must never be treated as another state.
 */
export function entryOf<State extends string, Entry>(table: Readonly<Record<State, Entry>>, state: State): Entry {
  if (!Object.hasOwn(table, state)) throw new Error(`the state "${state}" is unknown`)
  return table[state]
}
