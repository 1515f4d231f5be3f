import { createHash } from 'node:crypto'
import { isHex, recoverMessageAddress } from 'viem/utils'
import { UpstreamError } from '../../lib/errors.ts'
import { type AssignedIban, type IbanProvider, ibanSigningMessage } from './iban.ts'

export type SandboxIbanControls = {
  /** Makes the next calls fail as if the provider were down. */
  failNext(calls: number): void
}

/** Returns a valid number that belongs to no bank: Iceland's format with the bank code 0000. */
function numberOf(userId: string): AssignedIban {
  const digest = createHash('sha256').update(userId).digest('hex')
  const account = `0000${BigInt(`0x${digest}`) % 10n ** 18n}`.padEnd(22, '0')
  // ISO 13616: I and S count as 18 and 28, and the number modulo 97 must be 1.
  const check = 98n - (BigInt(`${account}182800`) % 97n)
  return { iban: `IS${String(check).padStart(2, '0')}${account}`, bic: 'PURSISRE' }
}

export function createSandboxIban(): { provider: IbanProvider; controls: SandboxIbanControls } {
  let failures = 0
  return {
    provider: {
      async advance({ userId, address, signature }) {
        if (failures > 0) {
          failures -= 1
          throw new UpstreamError('iban', 'unavailable', new Error('scripted failure'))
        }
        return (await signerOf(signature)) === address ? numberOf(userId) : 'refused'
      },
    },
    controls: {
      failNext(calls) {
        failures = calls
      },
    },
  }
}

async function signerOf(signature: string): Promise<string | null> {
  if (!isHex(signature)) return null
  return recoverMessageAddress({ message: ibanSigningMessage, signature }).catch(() => null)
}
