import { Type } from 'typebox'
import type { Address } from 'viem'
import { getAddress } from 'viem/utils'
import { group, optional, setting } from './setting.ts'

/** The second of Anvil's ten funded accounts: the test operator of a sandbox. Its key is public. */
export const sandboxOperator: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export const operators = group('Operators', 'The API under `/operator`. See `docs/operators.md`.', {
  operatorApi: setting('OPERATOR_API', {
    schema: Type.Boolean(),
    default: false,
    inSandbox: true,
    about: '`on` serves the API of operators under `/operator`, in every process with the role `api`.',
  }),
  consoleUrl: optional('CONSOLE_URL', {
    schema: Type.String({ format: 'public-url' }),
    shownDefault: '`BASE_URL` in the sandbox; needed in production with `OPERATOR_API`',
    inProduction: {
      requirement: 'a public https URL',
      holds: (url: string | null) => url === null || url.startsWith('https://'),
    },
    convert: (url) => url.replace(/\/+$/, ''),
    about:
      'The public URL of the console, which also serves the API under `/operator`. Operators sign in for its origin alone.',
  }),
  /** Null: production, or a sandbox that other machines can reach. */
  testOperator: optional('SANDBOX_OPERATOR', {
    schema: Type.String({ format: 'address' }),
    inSandbox: sandboxOperator,
    shownDefault: 'the second test account of Anvil in the sandbox',
    inProduction: 'unset',
    convert: (text) => getAddress(text),
    about:
      'A wallet that becomes an `admin` when it first signs in. Sandbox only. The default has a public key, and only works while no other machine can reach the sandbox.',
  }),
})
