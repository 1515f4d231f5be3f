import { expect, test } from 'vitest'
import { findMismatch, type Programme } from './rules.ts'

const stored: Programme = { mode: 'production', chainIds: [100, 137] }

test('a database accepts its own mode with added and retired chains', () => {
  for (const chainIds of [[100, 137], [100, 137, 8453], [137], [1, 137]]) {
    expect(findMismatch(stored, { mode: 'production', chainIds })).toBeNull()
  }
})

test('a database rejects the other mode, and a configuration that has none of its chains', () => {
  expect(findMismatch(stored, { mode: 'sandbox', chainIds: [100, 137] })).toBe(
    'MODE must be production, not sandbox, because this database belongs to a production programme. Correct MODE, or use another database.',
  )
  expect(findMismatch(stored, { mode: 'production', chainIds: [10200] })).toBe(
    'TOKENS must keep a chain of this programme (100, 137), because its users have deposit addresses there.',
  )
})
