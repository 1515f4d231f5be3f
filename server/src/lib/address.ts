import type { Address } from 'viem'
import { getAddress, isAddress } from 'viem/utils'
import { InvalidInput } from './errors.ts'

/** An address as somebody typed it, in EIP-55: lower case is taken as it is, mixed case must be right. */
export function readAddress(text: string, place: string): Address {
  if (!isAddress(text)) throw new InvalidInput(`${place} has a wrong checksum`)
  return getAddress(text)
}
