/**
 * JSON in ASCII only: every other character as `\uXXXX`, which JSON defines as the same text (RFC 8259, section 7).
 * One `€` in a page would force the whole page through a UTF-8 conversion on its way out of the database.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
