import { randomUUID } from 'node:crypto'
import { UpstreamError } from '../../lib/errors.ts'
import type { KycProvider, VerifiedPerson } from './kyc.ts'

export type SandboxKycControls = {
  /** Who a verified user of the country turns out to be. */
  personFrom(country: string): VerifiedPerson
  /** The next calls fail, as those to a provider that is down. */
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

export function createSandboxKyc(baseUrl: string): { provider: KycProvider; controls: SandboxKycControls } {
  let failures = 0

  function answer(): void {
    if (failures === 0) return
    failures -= 1
    throw new UpstreamError('kyc', 'unavailable', new Error('scripted failure'))
  }

  return {
    provider: {
      async createApplicant({ userId }) {
        answer()
        return `sandbox-${userId}`
      },
      /** Nobody asks: the simulator's own operation tells the service what it thinks. */
      async readApplicant(applicantId) {
        answer()
        return { applicantId, status: 'notStarted', person: null }
      },
      readCallback: () => null,
      /** Nobody shows a passport to a simulator: this opens the operation that decides, in the reference. */
      async verificationUrl({ userId }) {
        answer()
        return `${baseUrl}/docs?userId=${userId}#tag/sandbox/PATCH/sandbox/users/%7BuserId%7D`
      },
      /** `sandbox-<country>` is somebody from there; nothing else is anybody. */
      async importApplicant(shareToken) {
        answer()
        const country = /^sandbox-([A-Z]{2})$/.exec(shareToken)?.[1]
        if (country === undefined) return null
        return { applicantId: `sandbox-${randomUUID()}`, status: 'approved', person: personFrom(country) }
      },
      async shareApplicant({ applicantId, forClientId, ttlSeconds }) {
        answer()
        const claims = { applicantId, forClientId, ttlSeconds, id: randomUUID() }
        return `sandbox.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
      },
    },
    controls: {
      personFrom,
      failNext(calls) {
        failures = calls
      },
    },
  }
}
