// pure
/** The fields of a JSON object; null: it is something else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

/** The same of a text. */
export function parseFields(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return null
  }
}
