import { randomUUID } from 'node:crypto'
import { UpstreamError } from '../../lib/errors.ts'
import type { KycProvider, VerifiedPerson } from './kyc.ts'

export type SandboxKycControls = {
  /** Returns the person of a verified user of a country. */
  personFrom(country: string): VerifiedPerson
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

export function createSandboxKyc(baseUrl: string): { provider: KycProvider; controls: SandboxKycControls } {
  let failures = 0

  function failIfScripted(): void {
    if (failures === 0) return
    failures -= 1
    throw new UpstreamError('kyc', 'unavailable', new Error('scripted failure'))
  }

  return {
    provider: {
      async createApplicant({ userId }) {
        failIfScripted()
        return `sandbox-${userId}`
      },
      /** Never changes the state, which the simulator sets through its own operation. */
      async readApplicant(applicantId) {
        failIfScripted()
        return { applicantId, status: 'notStarted', person: null }
      },
      readCallback: () => null,
      /** Links to the operation in the API reference that sets the KYC status. */
      async verificationUrl({ userId }) {
        failIfScripted()
        return `${baseUrl}/docs?userId=${userId}#tag/sandbox/PATCH/sandbox/users/%7BuserId%7D`
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
      failNext(calls) {
        failures = calls
      },
    },
  }
}
