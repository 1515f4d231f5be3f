import { expect, test } from 'vitest'
import { createSandboxRates } from './sandbox.ts'

test('the sandbox has fixed rates, and one euro is one euro', () => {
  const { current } = createSandboxRates()
  expect(current().get('EUR')).toBe(1_000_000n)
  expect(current().get('USD')).toBe(1_100_000n)
  expect(current()).toEqual(createSandboxRates().current())
})
