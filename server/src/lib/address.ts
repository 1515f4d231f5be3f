import type { Address } from 'viem'
import { getAddress, isAddress } from 'viem/utils'
import { InvalidInput } from './errors.ts'

/** Returns an address in EIP-55 form. Accepts lower case; mixed case must have a valid checksum. */
export function readAddress(text: string, place: string): Address {
  if (!isAddress(text)) throw new InvalidInput(`${place} is not an address with a valid EIP-55 checksum`)
  return getAddress(text)
}
