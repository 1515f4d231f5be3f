import { describe, expect, test } from 'vitest'
import { ibanContract, ibanRequest } from './iban.contract.ts'
import { createSandboxIban } from './sandbox.ts'

const { provider, controls } = createSandboxIban()

describe('the sandbox bank satisfies the contract of the port', () => {
  ibanContract(
    () => provider,
    () => {},
    () => controls.failNext(1),
  )
})

test('each user gets a distinct sandbox IBAN, and the signature of another wallet is rejected', async () => {
  const [one, other] = [await provider.advance(await ibanRequest('a')), await provider.advance(await ibanRequest('b'))]
  expect(one).not.toEqual(other)
  const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  expect(await provider.advance(await ibanRequest('a', { address }))).toBe('refused')
})
