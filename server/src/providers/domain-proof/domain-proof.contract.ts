import { expect, test } from 'vitest'
import type { DomainProofProvider } from './domain-proof.ts'

/** The contract of the domain proof port. `shown` publishes the proof, `bare` does not. */
export function domainProofContract(
  provider: () => DomainProofProvider,
  { shown, bare, proof }: { shown: string; bare: string; proof: string },
): void {
  test('a domain that publishes the proof is proven at each check', async () => {
    expect(await provider().isShown(shown, proof)).toBe(true)
    expect(await provider().isShown(shown, proof)).toBe(true)
  })

  test('a domain that does not publish the proof is not proven, without an error', async () => {
    expect(await provider().isShown(bare, proof)).toBe(false)
  })
}
