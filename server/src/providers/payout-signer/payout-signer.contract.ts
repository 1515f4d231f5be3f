import { isAddress, keccak256, recoverAddress, stringToHex } from 'viem/utils'
import { expect, test } from 'vitest'
import type { PayoutSigner } from './payout-signer.ts'

const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** The contract of the payout signer port. */
export function payoutSignerContract(signer: () => PayoutSigner): void {
  test('a payout signer has one address with a valid checksum', async () => {
    const address = await signer().address()
    expect(isAddress(address)).toBe(true)
    expect(await signer().address()).toBe(address)
  })

  test('each payout signature recovers the signer and has s in the lower half of the order', async () => {
    const address = await signer().address()
    // Enough signatures to hit both parities and both halves, which each have a probability of one half.
    for (let i = 0; i < 24; i++) {
      const digest = keccak256(stringToHex(`digest ${i}`))
      const signature = await signer().sign(digest)
      expect(BigInt(signature.s)).toBeLessThanOrEqual(half)
      expect([signature.r.length, signature.s.length]).toEqual([66, 66])
      expect(await recoverAddress({ hash: digest, signature })).toBe(address)
    }
  })
}
