import { expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import type { IssuedCard } from '../issuer/issuer.ts'
import type { CardDetailsProvider } from './card-details.ts'

/** The contract of the card details port. `failNext` makes the provider unreachable for one call. */
export function cardDetailsContract(
  provider: () => CardDetailsProvider,
  card: () => Promise<IssuedCard>,
  failNext: () => void,
): void {
  test('card details match the last four digits and expiry of the card and have a valid check digit', async () => {
    const issued = await card()
    const details = await provider().readDetails(issued)
    expect(details).toMatchObject({ expiryMonth: issued.expiryMonth, expiryYear: issued.expiryYear })
    expect(details.number).toMatch(new RegExp(`^[0-9]{8,15}${issued.last4}$`))
    expect(luhnSum(details.number) % 10).toBe(0)
    expect(details.securityCode).toMatch(/^[0-9]{3,4}$/)
    expect(await provider().readPin(issued)).toMatch(/^[0-9]{4,12}$/)
  })

  test('repeated reads of a card return the same details, and another card has another number', async () => {
    const [one, other] = [await card(), await card()]
    expect(await provider().readDetails(one)).toEqual(await provider().readDetails(one))
    expect((await provider().readDetails(other)).number).not.toBe((await provider().readDetails(one)).number)
  })

  test('an unreachable card details provider is an upstream error, and the next read succeeds', async () => {
    const issued = await card()
    failNext()
    await expect(provider().readDetails(issued)).rejects.toThrow(UpstreamError)
    failNext()
    await expect(provider().readPin(issued)).rejects.toThrow(UpstreamError)
    expect(await provider().readPin(issued)).toMatch(/^[0-9]+$/)
  })
}

export function luhnSum(number: string): number {
  const digits = [...number].reverse().map(Number)
  return digits.reduce((sum, digit, at) => sum + (at % 2 ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit), 0)
}
