import { Type } from 'typebox'
import { parseGwei } from 'viem/utils'
import { toHex } from './payouts.ts'
import { group, optional, setting } from './setting.ts'
import { parseTokenAmounts, tokenAmounts } from './stablecoins.ts'
import { isTestKey } from './test-accounts.ts'

/** The ninth of Anvil's ten funded accounts. Its key is public. */
const sandboxKey = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'

export const sweeps = group('Sweeps', 'Moving deposits to the treasury. See "Chains".', {
  everySeconds: setting('SWEEP_EVERY_SECONDS', {
    schema: Type.Integer({ minimum: 0, maximum: 86_400 }),
    default: 60,
    about: 'The interval at which a worker looks for deposits to sweep. `0`: never.',
  }),
  /** Null: this service does not sweep. */
  key: optional('SWEEPER_KEY', {
    schema: Type.String({ format: 'private-key' }),
    secret: true,
    inSandbox: sandboxKey,
    shownDefault: 'a well-known test key in the sandbox, none in production',
    inProduction: {
      requirement: 'a key of your own (not a test key of Anvil or Hardhat)',
      holds: (key) => key === null || !isTestKey(key),
    },
    convert: toHex,
    about:
      "The private key of the wallet that pays for the gas of sweeps. It needs the chain's coin and has no other power. Without it, nothing is swept.",
  }),
  minimums: setting('SWEEP_MINIMUMS', {
    schema: tokenAmounts,
    default: {},
    shownDefault: 'ten whole units of each token',
    convert: parseTokenAmounts,
    about:
      "JSON object that maps token addresses to amounts in token units. An account's deposits are swept when they reach that amount.",
  }),
  /** In the smallest unit of the chain's coin, for one unit of gas. */
  maxFeePerGas: setting('SWEEP_MAX_FEE_GWEI', {
    schema: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    default: 50,
    convert: (gwei) => parseGwei(String(gwei)),
    about: 'The maximum fee per unit of gas, in gwei. Sweeps wait while gas is more expensive.',
  }),
})
