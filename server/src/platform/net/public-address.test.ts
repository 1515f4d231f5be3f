import { expect, test } from 'vitest'
import { isLinkLocal, isPublicAddress } from './public-address.ts'

test.each(['1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
  'the address %s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  'example.com',
  '',
])('the address %j is not public', (address) => expect(isPublicAddress(address)).toBe(false))

test.each(['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fd00:ec2::254'])(
  'the address %s is link-local or a metadata service',
  (address) => expect(isLinkLocal(address)).toBe(true),
)

test.each(['127.0.0.1', '10.0.0.1', '::1', '8.8.8.8'])('the address %s is not link-local', (address) =>
  expect(isLinkLocal(address)).toBe(false),
)
