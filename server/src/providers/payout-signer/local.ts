import type { Hex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import type { PayoutSigner } from './payout-signer.ts'

/** Signs with a key in the process's memory. Only for the sandbox, where funds are worthless. */
export function createLocalSigner(privateKey: Hex): PayoutSigner {
  const { address } = privateKeyToAccount(privateKey)
  return {
    address: async () => address,
    async sign(hash) {
      const { r, s, yParity } = await sign({ hash, privateKey })
      return { r, s, yParity: yParity === 0 ? 0 : 1 }
    },
  }
}
