import { expect, test } from 'vitest'
import { keepBounded } from './bounded.ts'

test('the one that came first goes for a new one, and nobody for one that is known', () => {
  const kept = new Map<string, number>()
  for (const key of ['a', 'b']) keepBounded(kept, key, 1, 2)
  keepBounded(kept, 'b', 2, 2)
  expect([...kept]).toEqual([
    ['a', 1],
    ['b', 2],
  ])
  keepBounded(kept, 'c', 3, 2)
  expect([...kept]).toEqual([
    ['b', 2],
    ['c', 3],
  ])
})
