import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/id.ts'
import { createSandboxIssuer } from '../issuer/sandbox.ts'
import { cardDetailsContract, luhnSum } from './card-details.contract.ts'
import { createSandboxCardDetails } from './sandbox.ts'

const issuer = createSandboxIssuer().provider
const { provider, controls } = createSandboxCardDetails()

function newCard() {
  const cardholder = { userId: newId(new Date()), firstName: null, lastName: null, phone: '+4915123456789' }
  return issuer.createCard({ cardId: newId(new Date()), cardholder, cardName: 'Travel', currency: 'EUR' })
}

describe('the sandbox card details provider satisfies the contract of the port', () => {
  cardDetailsContract(
    () => provider,
    newCard,
    () => controls.failNext(1),
  )
})

test('sandbox card numbers stay in the test range for any last four digits', async () => {
  for (let last = 0; last < 10_000; last += 7) {
    const card = { ...(await newCard()), last4: String(last).padStart(4, '0') }
    const { number } = await provider.readDetails(card)
    expect(number).toMatch(/^400000[0-9]{10}$/)
    expect(number.endsWith(card.last4)).toBe(true)
    expect(luhnSum(number) % 10).toBe(0)
  }
})

test('sandbox card numbers depend only on the card', async () => {
  const card = await newCard()
  const again = createSandboxCardDetails().provider
  const all = async (of: typeof provider) => [await of.readDetails(card), await of.readPin(card)]
  expect(await all(again)).toEqual(await all(provider))
})
