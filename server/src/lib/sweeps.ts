import type { Hex } from 'viem'
import { isHex, parseGwei } from 'viem/utils'
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

type Env = Readonly<Record<string, string | undefined>>
type Problem = (name: string, wanted: string) => void
type SweptToken = { readonly address: string; readonly decimals: number }

/** The ninth of the accounts that every Anvil knows and makes rich; whoever reads this has its key. */
const sandboxKey: Hex = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'
const usualMinimum = 10n

export function readSweeps(
  env: Env,
  { tokens, isSandbox }: { tokens: readonly SweptToken[]; isSandbox: boolean },
  problem: Problem,
): SweepConfig {
  const text = (name: string, fallback: string) => env[name]?.trim() || fallback

  function integer(name: string, fallback: number, most: number): number {
    const given = text(name, String(fallback))
    if (/^[0-9]{1,7}$/.test(given) && Number(given) <= most) return Number(given)
    problem(name, `must be an integer from 0 to ${most}`)
    return fallback
  }

  const key = text('SWEEPER_KEY', isSandbox ? sandboxKey : '')
  const isKey = isHex(key) && key.length === 66
  if (key !== '' && !isKey) problem('SWEEPER_KEY', 'must be a private key: 0x and 64 hex digits')
  return {
    everySeconds: integer('SWEEP_EVERY_SECONDS', 60, 86_400),
    key: isKey ? key : null,
    minimums: readTokenAmounts(text('SWEEP_MINIMUMS', '{}'), { tokens, usual: usualMinimum }, (wanted) =>
      problem('SWEEP_MINIMUMS', wanted),
    ),
    mostFeePerGas: parseGwei(String(integer('SWEEP_MAX_FEE_GWEI', 50, 1_000_000))),
  }
}
