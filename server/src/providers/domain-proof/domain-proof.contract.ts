import { expect, test } from 'vitest'
import type { DomainProofProvider } from './domain-proof.ts'

/** What every adapter must do; `shown` shows the proof, `bare` does not. */
export function domainProofContract(
  provider: () => DomainProofProvider,
  { shown, bare, proof }: { shown: string; bare: string; proof: string },
): void {
  test('a domain that shows the proof is proven, again and again', async () => {
    expect(await provider().isShown(shown, proof)).toBe(true)
    expect(await provider().isShown(shown, proof)).toBe(true)
  })

  test('one that does not is not, and that is no failure', async () => {
    expect(await provider().isShown(bare, proof)).toBe(false)
  })
}
