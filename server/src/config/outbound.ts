/**
 * The one rule for addresses that Purser connects to: in production, the connection is encrypted or stays on this
 * machine, such as to a local TLS proxy. Every setting with such a URL uses a rule of this file. `checks.ts` has the
 * rule for SMTP_HOST.
 */
type Given = string | null | readonly string[]

/** The rule for URLs of vendors, nodes and key stores. Null: the vendor's own https address. */
export const encryptedUrl = {
  requirement: 'an https URL or a URL of this machine',
  holds: (given: Given) => all(given, (url) => url.protocol === 'https:' || isLocalHost(url.hostname)),
}

/** The modes in which the driver rejects a server without a valid certificate. */
const verifiedModes = ['require', 'verify-ca', 'verify-full']

/** The rule for PostgreSQL. A path as its host is a Unix socket. */
export const encryptedDatabase = {
  requirement: 'a URL with sslmode=verify-full or a URL of this machine',
  holds: (given: Given) =>
    all(given, ({ hostname, searchParams }) => {
      const host = searchParams.get('host') ?? decodeURIComponent(hostname)
      if (host.startsWith('/') || isLocalHost(host)) return true
      // libpq's own `require` accepts every certificate.
      return verifiedModes.includes(searchParams.get('sslmode') ?? '') && !searchParams.has('uselibpqcompat')
    }),
}

function all(given: Given, isProtected: (url: URL) => boolean): boolean {
  const urls = typeof given === 'string' ? [given] : (given ?? [])
  return urls.every((url) => URL.canParse(url) && isProtected(new URL(url)))
}

/** Returns whether a host is this machine. URLs write IPv6 addresses in brackets, and other settings without them. */
export function isLocalHost(host: string): boolean {
  return host === 'localhost' || /^127(\.[0-9]{1,3}){3}$/.test(host) || host === '::1' || host === '[::1]'
}

/**
 * Returns whether a request names this machine. Requests through a tunnel, or of a page that uses DNS rebinding, do
 * not.
 */
export function namesThisMachine(hostname: string): boolean {
  return hostname === '' || hostname.endsWith('.localhost') || isLocalHost(hostname)
}
