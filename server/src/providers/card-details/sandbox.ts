import { createHash } from 'node:crypto'
import { UpstreamError } from '../../lib/errors.ts'
import { isLuhn } from '../../lib/luhn.ts'
import type { CardDetailsProvider } from './card-details.ts'

export type SandboxCardDetailsControls = {
  /** Makes the next calls fail like timeouts. */
  failNext(calls: number): void
}

/** A test range in which no bank issues cards. */
const testRange = '400000'
const freeDigits = 5

/**
 * Derives card data from the issued card alone, so that every process shows the same data, and none is stored or secret.
 * The digit before the last four is chosen so that the check digit is valid.
 */
export function createSandboxCardDetails(): {
  provider: CardDetailsProvider
  controls: SandboxCardDetailsControls
} {
  let failures = 0

  function failIfScripted(): void {
    if (failures === 0) return
    failures -= 1
    throw new UpstreamError('card-details', 'unavailable', new Error('scripted timeout'))
  }

  function digits(purpose: string, cardToken: string, count: number): string {
    const digest = createHash('sha256').update(`purser sandbox ${purpose} ${cardToken}`).digest()
    return String(digest.readUIntBE(0, 6) % 10 ** count).padStart(count, '0')
  }

  return {
    provider: {
      async readDetails({ cardToken, last4, expiryMonth, expiryYear }) {
        failIfScripted()
        const start = testRange + digits('number', cardToken, freeDigits)
        const number = [...'0123456789'].map((digit) => start + digit + last4).find(isLuhn)
        if (number === undefined) throw new Error('no digit makes the check digit valid')
        return { number, expiryMonth, expiryYear, securityCode: digits('code', cardToken, 3) }
      },
      async readPin({ cardToken }) {
        failIfScripted()
        return digits('pin', cardToken, 4)
      },
    },
    controls: {
      failNext(calls) {
        failures = calls
      },
    },
  }
}
