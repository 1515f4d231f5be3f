import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Not of the public Internet: this machine, private networks, cloud metadata, and what embeds or forwards to such. */
const special = new BlockList()
for (const range of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24',
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap((line) => line.split(' '))) {
  addRange(special, range, 'ipv4')
}
// Teredo and other protocol assignments, documentation, 6to4.
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) addRange(special, range, 'ipv6')

/** All public IPv6 addresses are in it; mapped and translated IPv4 ones, loopback and local ones are not. */
const globalUnicast = new BlockList()
addRange(globalUnicast, '2000::/3', 'ipv6')

/** Where a cloud keeps the secrets of its machines: nobody's business, not even in the sandbox. */
const linkLocal = new BlockList()
addRange(linkLocal, '169.254.0.0/16', 'ipv4')
addRange(linkLocal, '::ffff:169.254.0.0/112', 'ipv6')
addRange(linkLocal, 'fe80::/10', 'ipv6')
addRange(linkLocal, 'fd00:ec2::254/128', 'ipv6')

function addRange(list: BlockList, range: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits = ''] = range.split('/')
  list.addSubnet(address, Number(bits), family)
}

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address)
  return isIPv6(address) && globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

export function isLinkLocal(address: string): boolean {
  return linkLocal.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}
