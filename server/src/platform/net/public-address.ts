import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All public IPv6 addresses (RFC 4291, section 2.4). Mapped, translated, loopback and local ones lie outside. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/**
 * The metadata services of clouds outside the link-local range: AWS, Google Cloud (both IPv6), Alibaba, Oracle and
 * Azure. They expose the secrets of a machine. Azure's has a public address.
 */
const metadata = new Set(
  ['fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'].map((text) =>
    ipaddr.parse(text).toString(),
  ),
)

/** The ranges of a developer's own machine and network. */
const localRanges = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']

/**
 * Returns whether an address belongs to the public Internet. Loopback, private, metadata, documentation and multicast
 * addresses do not, nor do IPv6 addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  // The library's parser also accepts forms such as 0x7f.1, which a socket would not take as an address.
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast' || metadata.has(address.toString())) return false
  return address.kind() === 'ipv4' || address.match(globalUnicast)
}

/**
 * Returns whether a sandbox may connect to an address: the Internet, and the developer's own machine and network.
 * Link-local addresses, metadata services, and addresses that translate to others (NAT64, 6to4, Teredo) are excluded.
 */
export function isSandboxAddress(text: string): boolean {
  if (isIP(text) === 0) return false
  // A mapped IPv4 address connects to that address.
  const address = ipaddr.process(text)
  if (metadata.has(address.toString())) return false
  return localRanges.includes(address.range()) || isPublicAddress(address.toString())
}
