import { getAddress, isAddress } from 'viem/utils'
import { powerOfTen } from '../lib/money.ts'
import { parseFields } from './json-fields.ts'

type Scale = { readonly address: string; readonly decimals: number }

/** `{"<token's address>":"<amount in its units>"}`; the usual whole tokens where none is given. */
export function readTokenAmounts(
  given: string,
  { tokens, usual }: { tokens: readonly Scale[]; usual: bigint },
  problem: (wanted: string) => void,
): Record<string, bigint> {
  const amounts = Object.fromEntries(tokens.map(({ address, decimals }) => [address, usual * powerOfTen(decimals)]))
  const fields = parseFields(given)
  if (fields === null) problem('must be a JSON object')
  for (const [name, amount] of Object.entries(fields ?? {})) {
    const address = isAddress(name) ? getAddress(name) : ''
    if (amounts[address] === undefined) problem(`${name} is not the address of a token`)
    else if (typeof amount !== 'string' || !/^[1-9][0-9]{0,59}$/.test(amount)) problem(`${name}: must be an amount`)
    else amounts[address] = BigInt(amount)
  }
  return amounts
}
