import { privateKeyToAccount } from 'viem/accounts'
import { keccak256, stringToHex } from 'viem/utils'
import { expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import type { IbanProvider, IbanRequest, IbanResult } from './iban.ts'

/** Builds a request. The wallet is derived from the user id. */
export async function ibanRequest(userId: string, more: Partial<IbanRequest> = {}): Promise<IbanRequest> {
  const wallet = privateKeyToAccount(keccak256(stringToHex(userId)))
  return {
    userId,
    person: {
      ...{ firstName: 'Ada', lastName: 'Lovelace', birthDate: '1990-12-10', nationality: 'GR', country: 'DE' },
      ...{ street: 'Hauptstraße 1', city: 'Berlin', postalCode: '10115' },
    },
    address: wallet.address,
    signature: await wallet.signMessage({ message: 'I hereby declare that I am the address owner.' }),
    share: null,
    ...more,
  }
}

/** The contract of the IBAN port. `settle` lets the provider decide its pending steps. */
export function ibanContract(provider: () => IbanProvider, settle: () => void, failNext: () => void): void {
  async function untilDecided(request: IbanRequest): Promise<IbanResult> {
    for (let tries = 0; tries < 10; tries++) {
      const result = await provider().advance(request)
      if (result !== 'pending') return result
      settle()
    }
    return 'pending'
  }

  test('a person who signed with the wallet gets one IBAN with valid check digits', async () => {
    const request = await ibanRequest('01a1fc4e-f39c-748a-b04f-9ca8209a4d4a')
    const result = await untilDecided(request)
    if (typeof result === 'string') throw new Error(result)
    const { iban, bic } = result
    expect(iban).toMatch(/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/)
    const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) =>
      String(letter.charCodeAt(0) - 55),
    )
    expect(BigInt(digits) % 97n).toBe(1n)
    expect(bic).toMatch(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/)
    expect(await untilDecided(request)).toEqual(result)
  })

  test('a request with an invalid signature gets no IBAN', async () => {
    const request = await ibanRequest('01a1fc4e-f39c-748a-b04f-9ca8209a4d4b', { signature: '0x1234' })
    expect(await untilDecided(request)).toBe('refused')
  })

  test('an IBAN provider that is down is an upstream error', async () => {
    failNext()
    const request = await ibanRequest('01a1fc4e-f39c-748a-b04f-9ca8209a4d4c')
    await expect(provider().advance(request)).rejects.toThrow(UpstreamError)
  })
}
