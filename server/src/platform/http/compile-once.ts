/**
 * What is compiled of a schema is compiled when it is first needed, since a process never answers most of what its routes
 * declare, and kept by the schema's text, since most routes share the schemas of their errors. To compile each of each
 * route was most of the time that a start took.
 */
export function compileOnce<Compiled>(compile: (schema: object) => Compiled): (schema: object) => () => Compiled {
  const known = new Map<string, () => Compiled>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const found = known.get(text)
    if (found) return found
    let compiled: Compiled | undefined
    const whenNeeded = () => {
      compiled ??= compile(schema)
      return compiled
    }
    known.set(text, whenNeeded)
    return whenNeeded
  }
}
