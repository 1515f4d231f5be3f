import { createHash } from 'node:crypto'
import { isHex, recoverMessageAddress } from 'viem/utils'
import { UpstreamError } from '../../lib/errors.ts'
import { type AssignedIban, type IbanProvider, ibanSigningMessage } from './iban.ts'

export type SandboxIbanControls = {
  /** The next calls fail, as those to a provider that is down. */
  failNext(calls: number): void
}

/** A number that passes every check and belongs to no bank: Iceland's form, with the bank code 0000. */
function numberOf(userId: string): AssignedIban {
  const digest = createHash('sha256').update(userId).digest('hex')
  const account = `0000${BigInt(`0x${digest}`) % 10n ** 18n}`.padEnd(22, '0')
  // ISO 13616: the letters I and S are 18 and 28, and the remainder by 97 must be 1.
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
