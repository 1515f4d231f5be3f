import { expect, test } from 'vitest'
import { shownPart, type ViewAction, viewActions } from './rules.ts'

test('each view shows its own part of the card, and an unknown one shows nothing', () => {
  expect(viewActions.map((action) => [action, shownPart(action)])).toEqual([
    ['view-details', 'details'],
    ['view-pin', 'pin'],
  ])
  for (const action of ['view-balance', 'toString', '__proto__'])
    expect(() => shownPart(action as ViewAction)).toThrow(`the state "${action}"`)
})
