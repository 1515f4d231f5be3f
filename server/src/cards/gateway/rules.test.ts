import { expect, test } from 'vitest'
import { declineMessages } from '../transactions/rules.ts'
import { isOutdated, responseCodes } from './rules.ts'

test('every reason for a decline has a response code of two digits, none of them an approval', () => {
  for (const code of Object.keys(declineMessages)) {
    expect(responseCodes).toHaveProperty([code], expect.stringMatching(/^(?!00|10)[0-9]{2}$/))
  }
})

test('an event that a newer one overtook says nothing any more, unless it ends the card', () => {
  const [early, late] = [new Date(1000), new Date(2000)]
  expect(isOutdated('blocked', early, late)).toBe(true)
  expect(isOutdated('blocked', early, early)).toBe(false)
  expect(isOutdated('unblocked', late, early)).toBe(false)
  expect(isOutdated('activated', early, null)).toBe(false)
  expect(isOutdated('stolen', early, late)).toBe(false)
})
