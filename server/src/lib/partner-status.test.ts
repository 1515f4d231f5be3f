import { expect, test } from 'vitest'
import { hasAccess, type PartnerStatus, partnerStatuses, statusesWithAccess } from './partner-status.ts'

test('a suspended partner has no access, and a partner in an unknown state has none either', () => {
  expect(partnerStatuses.map((status) => [status, hasAccess(status)])).toEqual([
    ['pending', true],
    ['active', true],
    ['suspended', false],
  ])
  expect(statusesWithAccess).toEqual(['pending', 'active'])
  for (const status of ['closed', 'toString', '__proto__'])
    expect(() => hasAccess(status as PartnerStatus)).toThrow(`the state "${status}"`)
})
