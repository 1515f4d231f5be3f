import { expect, test } from 'vitest'
import { isPublicAddress, isSandboxAddress } from './public-address.ts'

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
  '168.63.129.16',
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

test.each([
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fe80::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2001::1',
  '::ffff:0:169.254.169.254',
  '0.0.0.0',
  '224.0.0.1',
  'example.com',
])('a sandbox cannot reach %s', (address) => expect(isSandboxAddress(address)).toBe(false))

test.each([
  '127.0.0.1',
  '10.0.0.1',
  '100.64.0.1',
  '::1',
  '::ffff:127.0.0.1',
  'fd12::1',
  '8.8.8.8',
  '2a00:1450:4001::1',
])('a sandbox can reach %s', (address) => expect(isSandboxAddress(address)).toBe(true))
