import { expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { CardRequest, IssuerProvider } from './issuer.ts'

const at = new Date('2026-01-31T09:30:00Z')

function requestOf(cardId: string): CardRequest {
  const cardholder = { userId: newId(at), firstName: 'Ada', lastName: 'Lovelace', phone: '+4915123456789' }
  return { cardId, cardholder, cardName: 'Travel', currency: 'EUR' }
}

/** What every adapter of the issuer port must do; `failNext` makes the issuer unreachable for one call. */
export function issuerContract(provider: () => IssuerProvider, failNext: () => void): void {
  test('a card has a token, four digits and a date to come', async () => {
    const card = await provider().createCard(requestOf(newId(at)))
    expect(card.cardToken).not.toBe('')
    expect(card.last4).toMatch(/^[0-9]{4}$/)
    expect(card.expiryMonth).toBeGreaterThanOrEqual(1)
    expect(card.expiryMonth).toBeLessThanOrEqual(12)
    expect(card.expiryYear).toBeGreaterThan(at.getUTCFullYear())
  })

  test('nothing that comes back is or holds a card number', async () => {
    const card = await provider().createCard(requestOf(newId(at)))
    expect(Object.keys(card).sort()).toEqual(['cardToken', 'expiryMonth', 'expiryYear', 'last4'])
    expect(JSON.stringify(card)).not.toMatch(/(?<![0-9a-f])[0-9]{12,19}(?![0-9a-f])/)
  })

  test('the same id again is the same card, another id another card', async () => {
    const request = requestOf(newId(at))
    const first = await provider().createCard(request)
    expect(await provider().createCard(request)).toEqual(first)
    expect((await provider().createCard(requestOf(newId(at)))).cardToken).not.toBe(first.cardToken)
  })

  test('an issuer that does not answer is an upstream error; the try after it makes the card', async () => {
    const request = requestOf(newId(at))
    failNext()
    await expect(provider().createCard(request)).rejects.toThrow(UpstreamError)
    expect((await provider().createCard(request)).last4).toMatch(/^[0-9]{4}$/)
  })

  test('a status may be told twice', async () => {
    const { cardToken } = await provider().createCard(requestOf(newId(at)))
    await provider().setCardStatus(cardToken, 'blocked')
    await provider().setCardStatus(cardToken, 'blocked')
    failNext()
    await expect(provider().setCardStatus(cardToken, 'active')).rejects.toThrow(UpstreamError)
  })
}
