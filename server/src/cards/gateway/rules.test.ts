import { expect, test } from 'vitest'
import { declineMessages } from '../transactions/rules.ts'
import { isOutdated, responseCodes } from './rules.ts'

test('every decline code has a two-digit response code that is not an approval', () => {
  for (const code of Object.keys(declineMessages)) {
    expect(responseCodes).toHaveProperty([code], expect.stringMatching(/^(?!00|10)[0-9]{2}$/))
  }
})

test('an event older than the newest one is outdated, unless it ends the card', () => {
  const [early, late] = [new Date(1000), new Date(2000)]
  expect(isOutdated('blocked', early, late)).toBe(true)
  expect(isOutdated('blocked', early, early)).toBe(false)
  expect(isOutdated('unblocked', late, early)).toBe(false)
  expect(isOutdated('activated', early, null)).toBe(false)
  expect(isOutdated('stolen', early, late)).toBe(false)
})
