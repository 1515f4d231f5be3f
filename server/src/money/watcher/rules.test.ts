import { describe, expect, test } from 'vitest'
import {
  arrivals,
  lastCommonBlock,
  nameOfTransfer,
  nextInTurn,
  parseTransferName,
  rangeAfter,
  rangeAfterFailure,
} from './rules.ts'

describe('arrivals of inbound transfers', () => {
  const flow = { inbound: [100n], outbound: [], before: 5n, after: 105n }
  test.each([
    ['a gain that equals the log', flow, [100n]],
    ['a deducted fee', { ...flow, after: 103n }, [98n]],
    ['an unchanged balance', { ...flow, after: 5n }, [0n]],
    ['a lower balance', { ...flow, after: 1n }, [0n]],
    ['a gain above the log', { ...flow, after: 110n }, [105n]],
    ['an outbound transfer of the whole amount in the same block', { ...flow, outbound: [100n], after: 5n }, [100n]],
    ['an outbound transfer that does not explain the balance', { ...flow, outbound: [10n], after: 5n }, [null]],
    ['several transfers that add up to the gain', { ...flow, inbound: [60n, 40n] }, [60n, 40n]],
    ['several transfers and a fee', { ...flow, inbound: [60n, 40n], after: 104n }, [null, null]],
    ['an unknown balance after the block', { ...flow, after: null }, [null]],
    ['an unknown balance before the block', { ...flow, before: null }, [null]],
  ])('%s gives the expected arrivals', (_what, given, expected) => {
    expect(arrivals(given)).toEqual(expected)
  })
})

test('the last common block of a fork at any height is found in at most eleven lookups', async () => {
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

test('a block range shrinks fast to at least one block and grows slowly', () => {
  expect(rangeAfterFailure(100)).toBe(50)
  expect(rangeAfterFailure(1)).toBe(1)
  expect(rangeAfter(100, 0)).toBe(125)
  expect(rangeAfter(100, 8000)).toBe(100)
  expect(rangeAfter(100, 100_000)).toBe(10)
  expect(rangeAfter(1, 1_000_000)).toBe(1)
  expect(rangeAfter(10_000, 0)).toBe(10_000)
})

test('blocks are checked in turn, so that none waits forever', () => {
  expect(nextInTurn([3, 5, 8], -1, 2)).toEqual([3, 5])
  expect(nextInTurn([3, 5, 8], 5, 2)).toEqual([8, 3])
  expect(nextInTurn([3, 5, 8], 8, 5)).toEqual([3, 5, 8])
  expect(nextInTurn([], 8, 5)).toEqual([])
})

const hash = `0x${'ab'.repeat(32)}`

test.each([1, 31337, 1_313_161_554, 2_147_483_647])(
  'the name of a transfer on chain %i is parsed to its chain id, transaction hash and log position',
  (chainId) => {
    const key = { chainId, txHash: hash, logPosition: 7 }
    expect(nameOfTransfer(key)).toBe(`${chainId}:${hash}:7`)
    expect(parseTransferName(nameOfTransfer(key))).toEqual(key)
  },
)

test.each([
  '',
  hash,
  `1:${hash}`,
  `01:${hash}:7`,
  `1:${hash}:7:8`,
  `1:${hash}:x`,
  `1:${hash}:1.5`,
  `1:${hash}:-1`,
  `1:${hash}:-0`,
  `2147483648:${hash}:7`,
  `1:${hash}:2147483648`,
])('"%s" names no transfer', (name) => {
  expect(parseTransferName(name)).toBeNull()
})
