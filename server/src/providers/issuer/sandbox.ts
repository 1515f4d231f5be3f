import { createHash } from 'node:crypto'
import { UpstreamError } from '../../lib/errors.ts'
import type { IssuedCard, IssuerProvider } from './issuer.ts'

export type SandboxIssuerControls = {
  /** The next calls fail, as those to an issuer that does not answer in time. */
  failNext(calls: number): void
}

const lifeYears = 4

/** A card depends on its id alone: any process makes the same one, also after a restart. */
function cardOf(cardId: string): IssuedCard {
  const digest = createHash('sha256').update(cardId).digest('hex')
  // The first 48 bits of a UUIDv7 are the instant that it was made, in milliseconds.
  const madeAt = new Date(Number.parseInt(cardId.replaceAll('-', '').slice(0, 12), 16))
  return {
    cardToken: `sandbox-${digest.slice(0, 32)}`,
    last4: String(Number.parseInt(digest.slice(-8), 16) % 10_000).padStart(4, '0'),
    expiryMonth: madeAt.getUTCMonth() + 1,
    expiryYear: madeAt.getUTCFullYear() + lifeYears,
  }
}

export function createSandboxIssuer(): { provider: IssuerProvider; controls: SandboxIssuerControls } {
  let failures = 0

  function answer(): void {
    if (failures === 0) return
    failures -= 1
    throw new UpstreamError('issuer', 'unavailable', new Error('scripted timeout'))
  }

  return {
    provider: {
      async createCard({ cardId }) {
        answer()
        return cardOf(cardId)
      },
      async setCardStatus() {
        answer()
      },
    },
    controls: {
      failNext(calls) {
        failures = calls
      },
    },
  }
}
