import { createHmac, type KeyObject, randomUUID, timingSafeEqual } from 'node:crypto'
import { UpstreamError } from '../../lib/errors.ts'
import type { Secrets } from '../../lib/secrets.ts'
import { deriveKeys } from '../../platform/crypto/derive-key.ts'
import type { KycProvider, VerifiedPerson } from './kyc.ts'

export type SandboxKycControls = {
  /** Returns a verified person from a country. */
  personFrom(country: string): VerifiedPerson
  /** Returns whether the key belongs to the user's verification page. */
  isPageKey(userId: string, key: string): boolean
  /** Makes the next calls fail as if the provider were down. */
  failNext(calls: number): void
}

function personFrom(country: string): VerifiedPerson {
  return {
    firstName: 'Alex',
    lastName: 'Sandbox',
    birthDate: '1990-01-01',
    nationality: country,
    street: '1 Test Street',
    city: 'Testville',
    postalCode: '10115',
    country,
  }
}

export function createSandboxKyc(
  baseUrl: string,
  secrets: Secrets,
): { provider: KycProvider; controls: SandboxKycControls } {
  const pageSecrets = deriveKeys(secrets, 'sandbox verification page')
  const pageKey = (userId: string, pageSecret: KeyObject = pageSecrets[0]) =>
    createHmac('sha256', pageSecret).update(userId).digest('base64url')
  let failures = 0

  function failIfScripted(): void {
    if (failures === 0) return
    failures -= 1
    throw new UpstreamError('kyc', 'unavailable', new Error('scripted failure'))
  }

  return {
    provider: {
      verifiesPeople: false,
      async createApplicant({ userId }) {
        failIfScripted()
        return `sandbox-${userId}`
      },
      /** Due work never calls this: no callback is accepted, and the simulator sets the state by its own operation. */
      async readApplicant({ applicantId }) {
        failIfScripted()
        return { applicantId, status: 'notStarted', person: null }
      },
      readCallback: () => null,
      async verificationUrl({ userId }) {
        failIfScripted()
        return `${baseUrl}/sandbox/kyc/${userId}/${pageKey(userId)}`
      },
      /** Accepts only `sandbox-<country>`, which names a person from that country. */
      async importApplicant(shareToken) {
        failIfScripted()
        const country = /^sandbox-([A-Z]{2})$/.exec(shareToken)?.[1]
        if (country === undefined) return null
        return { applicantId: `sandbox-${randomUUID()}`, status: 'approved', person: personFrom(country) }
      },
      async shareApplicant({ applicantId, forClientId, ttlSeconds }) {
        failIfScripted()
        const claims = { applicantId, forClientId, ttlSeconds, id: randomUUID() }
        return `sandbox.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
      },
    },
    controls: {
      personFrom,
      isPageKey(userId, key) {
        const given = Buffer.from(key)
        return pageSecrets.some((pageSecret) => {
          const expected = Buffer.from(pageKey(userId, pageSecret))
          return given.length === expected.length && timingSafeEqual(given, expected)
        })
      },
      failNext(calls) {
        failures = calls
      },
    },
  }
}
