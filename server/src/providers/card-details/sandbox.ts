import { createHmac } from 'node:crypto'
import { UpstreamError } from '../../lib/errors.ts'
import { deriveKey } from '../../platform/crypto/derive-key.ts'
import type { CardDetailsProvider } from './card-details.ts'

export type SandboxCardDetailsControls = {
  /** The next calls fail, as those to a processor that does not answer in time. */
  failNext(calls: number): void
}

/** Of test systems; no bank issues cards in it. */
const testRange = '400000'
const freeDigits = 5

/**
 * Numbers that look real and are nobody's: derived from the card's token, so that each process shows the same one, also
 * after a restart, and none is ever stored. The digit before the last four makes the check digit right.
 */
export function createSandboxCardDetails(secret: string): {
  provider: CardDetailsProvider
  controls: SandboxCardDetailsControls
} {
  const key = deriveKey(secret, 'sandbox card details')
  let failures = 0

  function answer(): void {
    if (failures === 0) return
    failures -= 1
    throw new UpstreamError('card-details', 'unavailable', new Error('scripted timeout'))
  }

  function digits(what: string, cardToken: string, count: number): string {
    const digest = createHmac('sha256', key).update(`${what} ${cardToken}`).digest()
    return String(digest.readUIntBE(0, 6) % 10 ** count).padStart(count, '0')
  }

  return {
    provider: {
      async readDetails({ cardToken, last4, expiryMonth, expiryYear }) {
        answer()
        const start = testRange + digits('number', cardToken, freeDigits)
        const number = [...'0123456789'].map((digit) => start + digit + last4).find(isLuhn)
        if (number === undefined) throw new Error('a digit that is not doubled takes every remainder')
        return { number, expiryMonth, expiryYear, securityCode: digits('code', cardToken, 3) }
      },
      async readPin({ cardToken }) {
        answer()
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

/** ISO/IEC 7812: from the right, every second digit doubled, the digits of all added up, a multiple of ten. */
function isLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
