import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All public IPv6 addresses (RFC 4291, section 2.4). Mapped, translated, loopback and local ones lie outside. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** The instance metadata service of AWS over IPv6. It lies in a private range, not in the link-local one. */
const metadata = ipaddr.parse('fd00:ec2::254')

/**
 * Returns whether an address belongs to the public Internet. Loopback, private, metadata, documentation and multicast
 * addresses do not, nor do IPv6 addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  // The library's parser also accepts forms such as 0x7f.1, which a socket would not take as an address.
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(globalUnicast)
}

/** Returns whether an address is link-local or a cloud's metadata service, which exposes the secrets of a machine. */
export function isLinkLocal(text: string): boolean {
  if (isIP(text) === 0) return false
  const address = ipaddr.process(text)
  return address.range() === 'linkLocal' || address.toString() === metadata.toString()
}
