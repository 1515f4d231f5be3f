import { expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { KycProvider } from './kyc.ts'

export const applyingUser = { userId: newId(new Date('2026-01-31T09:30:00Z')), email: 'ada@example.org' }

/** The contract of the KYC port, given a valid share token. `failNext` takes the provider down for one call. */
export function kycContract(provider: () => KycProvider, goodShareToken: string, failNext: () => void): void {
  const share = async () =>
    provider().shareApplicant({
      applicantId: await provider().createApplicant(applyingUser),
      forClientId: 'partner.example_1',
      ttlSeconds: 600,
    })

  test('repeated creation returns the same applicant, without a person before approval', async () => {
    const applicantId = await provider().createApplicant(applyingUser)
    expect(await provider().createApplicant(applyingUser)).toBe(applicantId)
    expect(await provider().readApplicant({ applicantId, userId: applyingUser.userId })).toMatchObject({
      applicantId,
      person: null,
    })
  })

  const pageOf = async () => {
    const applicantId = await provider().createApplicant(applyingUser)
    return () => provider().verificationUrl({ ...applyingUser, applicantId })
  }

  test('the verification page has an http or https URL', async () => {
    const openPage = await pageOf()
    expect(['http:', 'https:']).toContain(new URL(await openPage()).protocol)
  })

  test('each share token is new', async () => {
    const [first, second] = [await share(), await share()]
    expect(first).not.toBe('')
    expect(second).not.toBe(first)
  })

  test('a valid share token imports a person, and invalid ones import nobody', async () => {
    const applicant = await provider().importApplicant(goodShareToken)
    expect(applicant?.status).toBe('approved')
    expect(applicant?.person?.birthDate).toMatch(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/)
    expect(applicant?.person?.country).toMatch(/^[A-Z]{2}$/)
    for (const bad of ['no such token', '', '\u0000', '../', '\ud800']) {
      expect(await provider().importApplicant(bad), JSON.stringify(bad)).toBeNull()
    }
  })

  test('an unsigned callback is rejected', () => {
    expect(provider().readCallback({}, Buffer.from('{"applicantId":"a"}'))).toBeNull()
  })

  test('a KYC provider that is down is an upstream error', async () => {
    const openPage = await pageOf()
    failNext()
    await expect(openPage()).rejects.toThrow(UpstreamError)
  })
}
