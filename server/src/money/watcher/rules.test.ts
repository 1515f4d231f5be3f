import { describe, expect, test } from 'vitest'
import { arrivals, lastCommonBlock, rangeAfter, rangeAfterFailure } from './rules.ts'

describe('what inbound transfers brought', () => {
  const flow = { inbound: [100n], outbound: [], before: 5n, after: 105n }
  test.each([
    ['the balance gained what the event says', flow, [100n]],
    ['a fee was taken', { ...flow, after: 103n }, [98n]],
    ['the event lies', { ...flow, after: 5n }, [0n]],
    ['it lies, and the balance even fell', { ...flow, after: 1n }, [0n]],
    ['more came than it says', { ...flow, after: 110n }, [105n]],
    ['it went on in the same block', { ...flow, outbound: [100n], after: 5n }, [100n]],
    ['some went on, and the rest does not add up', { ...flow, outbound: [10n], after: 5n }, [null]],
    ['several, all true', { ...flow, inbound: [60n, 40n] }, [60n, 40n]],
    ['several, and a fee', { ...flow, inbound: [60n, 40n], after: 104n }, [null, null]],
    ['no balance is told', { ...flow, after: null }, [null]],
    ['none was told before', { ...flow, before: null }, [null]],
  ])('%s', (_what, given, expected) => {
    expect(arrivals(given)).toEqual(expected)
  })
})

test('the last block that holds is found in few questions, wherever the fork is', async () => {
  const known = Array.from({ length: 1000 }, (_, i) => ({ number: i, hash: String(i) })).toReversed()
  for (const fork of [-1, 0, 1, 499, 998, 999]) {
    let asked = 0
    const held = await lastCommonBlock(known, async ({ number }) => {
      asked += 1
      return number <= fork
    })
    expect(held?.number ?? -1).toBe(fork)
    expect(asked).toBeLessThanOrEqual(11)
  }
  expect(await lastCommonBlock([], async () => true)).toBeNull()
})

test('a range shrinks fast to what a node can answer, never to nothing, and grows slowly', () => {
  expect(rangeAfterFailure(100)).toBe(50)
  expect(rangeAfterFailure(1)).toBe(1)
  expect(rangeAfter(100, 0)).toBe(125)
  expect(rangeAfter(100, 8000)).toBe(100)
  expect(rangeAfter(100, 100_000)).toBe(10)
  expect(rangeAfter(1, 1_000_000)).toBe(1)
  expect(rangeAfter(10_000, 0)).toBe(10_000)
})
