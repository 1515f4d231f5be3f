import { isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** The prefix lengths of the IPv6 networks that rate limits count: one customer (/64) and one site (/48). */
const customerBits = 64
const siteBits = 48

/**
 * Returns whether a text is an address that can be compared. One with the zone of a network interface names no client.
 */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

/** Removes the port that some proxies add to an address in `X-Forwarded-For`: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(text) ?? []
  return bracketed ?? plain ?? text
}

const lengthOf = (address: ReturnType<typeof ipaddr.parse>) => address.toByteArray().length * 8

/**
 * Returns a predicate for the proxies in TRUSTED_PROXIES. A forwarded text that is not an address is never trusted.
 * Mapped addresses and ranges are compared as IPv4.
 */
export function trustOf(ranges: readonly string[]): (address: string) => boolean {
  const trusted = ranges.map((range) => {
    const [address = '', bits] = range.split('/')
    const [given, network] = [ipaddr.parse(address), ipaddr.process(address)]
    const openBits = bits === undefined ? 0 : lengthOf(given) - Number(bits)
    return [network, lengthOf(network) - openBits] as const
  })
  return (text) => {
    const address = withoutPort(text)
    if (!isAddress(address)) return false
    const known = ipaddr.process(address)
    return trusted.some(([network, bits]) => network.kind() === known.kind() && known.match(network, bits))
  }
}

/**
 * Returns the client's address from those that the proxies forwarded, nearest first. A text that is not an address
 * counts as the proxy that forwarded it, so nobody gets new limits by inventing names.
 */
export function clientAddress(forwarded: readonly string[]): string {
  return forwarded.map(withoutPort).findLast(isAddress) ?? 'unknown'
}

/** Returns the networks that an address is counted under: the address itself for IPv4, its /64 and its /48 for IPv6. */
export function networksOf(address: string): { readonly customer: string; readonly site: string | null } {
  if (!isAddress(address) || isIPv4(address)) return { customer: address, site: null }
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return { customer: parsed.toString(), site: null }
  const bytes = parsed.toByteArray()
  const prefix = (bits: number) => `${Buffer.from(bytes.slice(0, bits / 8)).toString('hex')}/${bits}`
  return { customer: prefix(customerBits), site: prefix(siteBits) }
}

/** Returns the network that the limits of one client count. */
export function clientOf({ ips, ip }: Pick<FastifyRequest, 'ips' | 'ip'>): string {
  return networksOf(clientAddress(ips ?? [ip])).customer
}
