import { createHash } from 'node:crypto'
import { UpstreamError } from '../../lib/errors.ts'
import type { IssuedCard, IssuerProvider } from './issuer.ts'

export type SandboxIssuerControls = {
  /** Makes the next calls fail like timeouts. */
  failNext(calls: number): void
}

const lifeYears = 4

/** Derives a card from its id, so that every process creates the same one. */
function cardOf(cardId: string): IssuedCard {
  const digest = createHash('sha256').update(cardId).digest('hex')
  // The first 48 bits of a UUIDv7 are its creation time in milliseconds.
  const createdAt = new Date(Number.parseInt(cardId.replaceAll('-', '').slice(0, 12), 16))
  return {
    cardToken: `sandbox-${digest.slice(0, 32)}`,
    last4: String(Number.parseInt(digest.slice(-8), 16) % 10_000).padStart(4, '0'),
    expiryMonth: createdAt.getUTCMonth() + 1,
    expiryYear: createdAt.getUTCFullYear() + lifeYears,
  }
}

export function createSandboxIssuer(): { provider: IssuerProvider; controls: SandboxIssuerControls } {
  let failures = 0

  function failIfScripted(): void {
    if (failures === 0) return
    failures -= 1
    throw new UpstreamError('issuer', 'unavailable', new Error('scripted timeout'))
  }

  return {
    provider: {
      async createCard({ cardId }) {
        failIfScripted()
        return cardOf(cardId)
      },
      async setCardStatus() {
        failIfScripted()
      },
    },
    controls: {
      failNext(calls) {
        failures = calls
      },
    },
  }
}
