import { expect, test } from 'vitest'
import { createSandboxRates } from './sandbox.ts'

test('the sandbox has fixed rates, and the rate of a currency to itself is one', () => {
  const { current } = createSandboxRates()
  expect(current().get('EUR')).toBe(1_000_000n)
  expect(current().get('USD')).toBe(1_100_000n)
  expect(current()).toEqual(createSandboxRates().current())
})
