/**
 * Most routes share the schemas of their errors, so what is compiled of a schema is kept by its text: to compile each
 * anew was most of the time that a start took.
 */
export function compileOnce<Compiled>(compile: (schema: object) => Compiled): (schema: object) => Compiled {
  const known = new Map<string, Compiled>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const compiled = known.get(text) ?? compile(schema)
    known.set(text, compiled)
    return compiled
  }
}
