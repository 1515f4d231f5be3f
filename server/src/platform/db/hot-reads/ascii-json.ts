/**
 * Returns the value as JSON in ASCII. Each non-ASCII character is written as `\uXXXX`, which JSON defines as the same
 * text (RFC 8259, section 7). Pages can then be copied byte by byte, without a conversion to UTF-8.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
