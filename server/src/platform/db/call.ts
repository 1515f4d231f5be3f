/** A statement that calls an SQL function with named arguments. */
export type FunctionCall<Name extends string> = {
  readonly text: string
  /** Returns the arguments in the order of the statement. */
  values(args: Readonly<Record<Name, unknown>>): unknown[]
}

/**
 * `head` is the statement up to the name of the function. `names` are the names of its parameters without their prefix
 * `p_`.
 */
export function functionCall<const Names extends readonly string[]>(
  head: string,
  names: Names,
): FunctionCall<Names[number]> {
  const given = names.map((name, i) => `p_${name} => $${i + 1}`).join(', ')
  return { text: `${head}(${given})`, values: (args) => names.map((name: Names[number]) => args[name]) }
}

/** Returns null for each of the names. */
export function nulls<const Names extends readonly string[]>(names: Names): Readonly<Record<Names[number], null>> {
  // Safe cast: each name has a null.
  return Object.fromEntries(names.map((name) => [name, null])) as Record<Names[number], null>
}
