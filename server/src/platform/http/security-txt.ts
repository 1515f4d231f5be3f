// pure
/**
 * Researchers must not trust an expired file (RFC 9116, section 2.5.5). Scanners warn below a month and above a year.
 */
const validDays = 180
const dayMilliseconds = 86_400_000

/** Returns the file of RFC 9116. It expires at the end of a day, so that all responses of a day have the same bytes. */
export function securityText(contacts: readonly string[], baseUrl: string, now: Date): string {
  const day = Math.floor(now.getTime() / dayMilliseconds)
  const expires = new Date((day + validDays) * dayMilliseconds)
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
  ]
  return `${lines.join('\n')}\n`
}
