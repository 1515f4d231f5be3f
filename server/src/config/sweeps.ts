import type { Hex } from 'viem'
import { isHex, parseGwei } from 'viem/utils'
import type { Reader } from './reader.ts'
import { readTokenAmounts } from './token-amounts.ts'

/** When deposits are worth the gas of moving them to the treasury. */
export type SweepConfig = {
  /** 0: never */
  readonly everySeconds: number
  /** The key of the wallet that pays for the gas, and can do nothing else; null: nobody sweeps. */
  readonly key: Hex | null
  /** An account's deposits in a token move when they come to as much, in token units. */
  readonly minimums: Readonly<Record<string, bigint>>
  /** Sweeps can wait: while a unit of gas costs more, they do. */
  readonly mostFeePerGas: bigint
}

type SweptToken = { readonly address: string; readonly decimals: number }

/** The ninth of the accounts that every Anvil knows and makes rich; whoever reads this has its key. */
const sandboxKey: Hex = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'
const usualMinimum = 10n

export function readSweeps(
  { text, integer, problem }: Reader,
  { tokens, isSandbox }: { tokens: readonly SweptToken[]; isSandbox: boolean },
): SweepConfig {
  const key = text('SWEEPER_KEY', isSandbox ? sandboxKey : '')
  const isKey = isHex(key) && key.length === 66
  if (key !== '' && !isKey) problem('SWEEPER_KEY', 'must be a private key: 0x and 64 hex digits')
  return {
    everySeconds: integer('SWEEP_EVERY_SECONDS', 60, 0, 86_400),
    key: isKey ? key : null,
    minimums: readTokenAmounts(text('SWEEP_MINIMUMS', '{}'), { tokens, usual: usualMinimum }, (wanted) =>
      problem('SWEEP_MINIMUMS', wanted),
    ),
    mostFeePerGas: parseGwei(String(integer('SWEEP_MAX_FEE_GWEI', 50, 0, 1_000_000))),
  }
}
