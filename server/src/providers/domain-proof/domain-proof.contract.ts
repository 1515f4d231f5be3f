import { expect, test } from 'vitest'
import type { DomainProofProvider } from './domain-proof.ts'

/** The contract of the domain proof port. Domain `published` publishes the proof; `unpublished` does not. */
export function domainProofContract(
  provider: () => DomainProofProvider,
  { published, unpublished, proof }: { published: string; unpublished: string; proof: string },
): void {
  test('a domain that publishes the proof is proven at each check', async () => {
    expect(await provider().isPublished(published, proof)).toBe(true)
    expect(await provider().isPublished(published, proof)).toBe(true)
  })

  test('a domain that does not publish the proof is not proven, without an error', async () => {
    expect(await provider().isPublished(unpublished, proof)).toBe(false)
  })
}
