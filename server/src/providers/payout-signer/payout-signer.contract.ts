import { isAddress, keccak256, recoverAddress, stringToHex } from 'viem/utils'
import { expect, test } from 'vitest'
import type { PayoutSigner } from './payout-signer.ts'

const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** What every adapter of the signer's port must do. */
export function payoutSignerContract(signer: () => PayoutSigner): void {
  test('it has one address, with its checksum', async () => {
    const address = await signer().address()
    expect(isAddress(address)).toBe(true)
    expect(await signer().address()).toBe(address)
  })

  test('its signatures are its own, over exactly the digest, and in the lower half of the order', async () => {
    const address = await signer().address()
    // As many as show a wrong parity or an upper half, which each signature has with a chance of one in two.
    for (let i = 0; i < 24; i++) {
      const digest = keccak256(stringToHex(`digest ${i}`))
      const signature = await signer().sign(digest)
      expect(BigInt(signature.s)).toBeLessThanOrEqual(half)
      expect([signature.r.length, signature.s.length]).toEqual([66, 66])
      expect(await recoverAddress({ hash: digest, signature })).toBe(address)
    }
  })
}
