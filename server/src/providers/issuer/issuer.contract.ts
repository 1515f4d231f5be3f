import { expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { CardRequest, IssuerProvider } from './issuer.ts'

const at = new Date('2026-01-31T09:30:00Z')

function requestOf(cardId: string): CardRequest {
  const cardholder = { userId: newId(at), firstName: 'Ada', lastName: 'Lovelace', phone: '+4915123456789' }
  return { cardId, cardholder, cardName: 'Travel', currency: 'EUR' }
}

/** The contract of the issuer port. `failNext` makes the issuer unreachable for one call. */
export function issuerContract(provider: () => IssuerProvider, failNext: () => void): void {
  test('a created card has a token, four digits and a future expiry', async () => {
    const card = await provider().createCard(requestOf(newId(at)))
    expect(card.cardToken).not.toBe('')
    expect(card.last4).toMatch(/^[0-9]{4}$/)
    expect(card.expiryMonth).toBeGreaterThanOrEqual(1)
    expect(card.expiryMonth).toBeLessThanOrEqual(12)
    expect(card.expiryYear).toBeGreaterThan(at.getUTCFullYear())
  })

  test('a created card contains no card number', async () => {
    const card = await provider().createCard(requestOf(newId(at)))
    expect(Object.keys(card).sort()).toEqual(['cardToken', 'expiryMonth', 'expiryYear', 'last4'])
    expect(JSON.stringify(card)).not.toMatch(/(?<![0-9a-f])[0-9]{12,19}(?![0-9a-f])/)
  })

  test('a repeated creation returns the same card, and another id creates another card', async () => {
    const request = requestOf(newId(at))
    const first = await provider().createCard(request)
    expect(await provider().createCard(request)).toEqual(first)
    expect((await provider().createCard(requestOf(newId(at)))).cardToken).not.toBe(first.cardToken)
  })

  test('an unreachable issuer is an upstream error, and the retry creates the card', async () => {
    const request = requestOf(newId(at))
    failNext()
    await expect(provider().createCard(request)).rejects.toThrow(UpstreamError)
    expect((await provider().createCard(request)).last4).toMatch(/^[0-9]{4}$/)
  })

  test('a card status can be set twice', async () => {
    const { cardToken } = await provider().createCard(requestOf(newId(at)))
    await provider().setCardStatus(cardToken, 'blocked')
    await provider().setCardStatus(cardToken, 'blocked')
    failNext()
    await expect(provider().setCardStatus(cardToken, 'active')).rejects.toThrow(UpstreamError)
  })
}
