import type { Hex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import type { PayoutSigner } from './payout-signer.ts'

/** A key in the process's memory: for the sandbox, where what it holds is worth nothing. */
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
