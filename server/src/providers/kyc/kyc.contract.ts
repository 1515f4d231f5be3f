import { expect, test } from 'vitest'
import { newId } from '../../lib/id.ts'
import { UpstreamError } from '../../lib/refusal.ts'
import type { KycProvider } from './kyc.ts'

const userId = newId(new Date('2026-01-31T09:30:00Z'))

/** What every adapter of the port must do, given a share token that is good; `failNext` takes it down for one call. */
export function kycContract(provider: () => KycProvider, goodShareToken: string, failNext: () => void): void {
  const share = () => provider().shareApplicant({ userId, forClientId: 'partner.example_1', ttlSeconds: 600 })

  test('the page to verify on is a web address', async () => {
    expect(['http:', 'https:']).toContain(new URL(await provider().verificationUrl(userId)).protocol)
  })

  test('every share token is a new one', async () => {
    const [first, second] = [await share(), await share()]
    expect(first).not.toBe('')
    expect(second).not.toBe(first)
  })

  test('a good share token names a whole person, a bad one nobody', async () => {
    const person = await provider().importApplicant(goodShareToken)
    expect(person?.birthDate).toMatch(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/)
    expect(person?.country).toMatch(/^[A-Z]{2}$/)
    expect(await provider().importApplicant('no such token')).toBeNull()
  })

  test('a provider that is down is an upstream error', async () => {
    failNext()
    await expect(share()).rejects.toThrow(UpstreamError)
  })
}
