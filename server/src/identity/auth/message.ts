// pure
import { isIPv6 } from 'node:net'
import { getAddress } from 'viem/utils'
import { InvalidInput } from '../../lib/errors.ts'
import type { SignInMessage } from './rules.ts'

/**
 * Parses an EIP-4361 message strictly: it rejects everything outside the grammar, and trims or normalizes nothing. The
 * user signed these bytes. With a lenient parser, the wallet could show one meaning and Purser act on another.
 */
export function parseSignInMessage(text: string): SignInMessage {
  const lines = text.split('\n')
  let next = 0

  function line(expected: string, pattern: RegExp, prefix = ''): string {
    const found = lines[next]
    if (found === undefined || !found.startsWith(prefix) || !pattern.test(found.slice(prefix.length))) {
      throw rejected(next, expected)
    }
    next++
    return found.slice(prefix.length)
  }
  function optional<T>(prefix: string, read: () => T): T | null {
    return lines[next]?.startsWith(prefix) ? read() : null
  }
  function time(prefix: string): Date {
    const number = next
    const at = parseTime(line(`"${prefix}" and an RFC 3339 time`, /^/, prefix))
    if (at === null) throw rejected(number, 'an RFC 3339 time that exists')
    return at
  }

  const domain = domainOf(line('"<domain> wants you to sign in with your Ethereum account:"', headerPattern))
  const address = line('an Ethereum address', /^0x[0-9a-fA-F]{40}$/)
  if (getAddress(address) !== address) throw rejected(1, 'an address with its EIP-55 checksum')
  line('empty', emptyPattern)
  const statement = lines[next] === '' ? null : line('a statement of printable ASCII', statementPattern)
  line('empty', emptyPattern)
  const uriLine = next
  const uri = line('"URI: " and a URI', /^/, 'URI: ')
  if (!isUri(uri)) throw rejected(uriLine, '"URI: " and an RFC 3986 URI')
  line('"Version: 1"', /^1$/, 'Version: ')
  const chainId = Number(line('"Chain ID: " and a number', /^[1-9][0-9]{0,14}$/, 'Chain ID: '))
  const nonce = line('"Nonce: " and at least 8 letters and digits', /^[A-Za-z0-9]{8,}$/, 'Nonce: ')
  const issuedAt = time('Issued At: ')
  const expirationTime = optional('Expiration Time: ', () => time('Expiration Time: '))
  const notBefore = optional('Not Before: ', () => time('Not Before: '))
  optional('Request ID: ', () => line('"Request ID: " and its value', requestIdPattern, 'Request ID: '))
  optional('Resources:', resources)
  if (next !== lines.length) throw rejected(next, 'removed: it is unknown, repeated or out of order')
  return { domain, address, statement, uri, chainId, nonce, issuedAt, expirationTime, notBefore }

  function resources(): void {
    line('"Resources:"', emptyPattern, 'Resources:')
    while (next < lines.length) {
      if (!isUri(line('"- " and a URI', /^/, '- '))) throw rejected(next - 1, '"- " and an RFC 3986 URI')
    }
  }
}

function rejected(index: number, expected: string): InvalidInput {
  return new InvalidInput(`body/message line ${index + 1} must be ${expected}`)
}

// RFC 3986, appendix A. The alternatives of each repetition are mutually exclusive, so matching takes linear time.
const percent = '%[0-9A-Fa-f]{2}'
const plain = "A-Za-z0-9\\-._~!$&'()*+,;="
const schemePart = '[A-Za-z][A-Za-z0-9+\\-.]*'
const authority = `(?:(?:[${plain}:]|${percent})*@)?(?:\\[([${plain}:]+)\\]|(?:[${plain}]|${percent})*)(?::[0-9]*)?`
const pathCharacters = `(?:[${plain}:@/]|${percent})*`
const queryCharacters = `(?:[${plain}:@/?]|${percent})*`

const headerPattern = / wants you to sign in with your Ethereum account:$/
const emptyPattern = /^$/
const statementPattern = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+$/
const requestIdPattern = new RegExp(`^(?:[${plain}:@]|${percent})*$`)
const domainPattern = new RegExp(`^(?:${schemePart}://)?(${authority})$`)
const uriPattern = new RegExp(
  `^${schemePart}:(?://${authority}(?:/${pathCharacters})?|(?!//)${pathCharacters})(?:\\?${queryCharacters})?(?:#${queryCharacters})?$`,
)
const futureAddressPattern = new RegExp(`^v[0-9A-Fa-f]+\\.[${plain}:]+$`, 'i')

/** Returns the authority of the first line, without the optional scheme. */
function domainOf(header: string): string {
  const match = domainPattern.exec(header.replace(headerPattern, ''))
  const domain = match?.[1]
  if (!domain || !isBracketed(match?.[2])) throw rejected(0, 'an RFC 3986 authority followed by the fixed text')
  return domain
}

function isUri(text: string): boolean {
  const match = uriPattern.exec(text)
  return match !== null && isBracketed(match[1])
}

/** Returns true if there are no brackets, or an IP address between them. RFC 3986 has no zones ("%eth0"). */
function isBracketed(host: string | undefined): boolean {
  return host === undefined || isIPv6(host) || futureAddressPattern.test(host)
}

const timePattern = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i

/** Parses an RFC 3339 time, truncated to milliseconds. Returns null for leap seconds, which our clocks never show. */
function parseTime(text: string): Date | null {
  const match = timePattern.exec(text)
  if (!match) return null
  const [, day, clock, fraction = '', sign, hours = '0', minutes = '0'] = match
  const local = `${day}T${clock}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const at = new Date(local)
  // `Date` reads February 30 as March 1 or 2, so a date that does not survive the round trip does not exist.
  if (Number.isNaN(at.getTime()) || at.toISOString() !== local) return null
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  return new Date(at.getTime() + (sign === '-' ? offset : -offset))
}
