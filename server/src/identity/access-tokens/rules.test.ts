import { describe, expect, test } from 'vitest'
import { inOrder, type KeyLife, maxTokenSeconds, nextKey, signingKey, trustEnds } from './rules.ts'

const hour = 3600
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31) + seconds * 1000)

function key(kid: string, activeFrom: number, retiredAt: number | null = null): KeyLife {
  return { kid, activeFrom: at(activeFrom), retiredAt: retiredAt === null ? null : at(retiredAt) }
}

/** The kids that verify at a time. */
function trusted(keys: readonly KeyLife[], now: Date): string[] {
  return [...trustEnds(keys)].filter(([, end]) => now.getTime() < end).map(([kid]) => kid)
}

describe('of two keys, the second published ahead of its time', () => {
  const keys = inOrder([key('new', hour), key('old', 0)])

  test('the old one signs until the new one’s time has come', () => {
    expect(signingKey(keys, at(hour - 1))?.kid).toBe('old')
    expect(signingKey(keys, at(hour))?.kid).toBe('new')
  })

  test('both are published from the start', () => {
    expect(trusted(keys, at(0))).toEqual(['old', 'new'])
    expect(nextKey(keys, at(0))?.kid).toBe('new')
    expect(nextKey(keys, at(hour))).toBeNull()
  })

  test('the old one verifies for as long as a token of it can be valid, and not a second more', () => {
    expect(trusted(keys, at(hour + maxTokenSeconds - 1))).toEqual(['old', 'new'])
    expect(trusted(keys, at(hour + maxTokenSeconds))).toEqual(['new'])
  })
})

describe('a retired key', () => {
  test('neither signs nor verifies; an older one does not take its place', () => {
    const keys = inOrder([key('old', 0), key('new', hour, 2 * hour)])
    expect(trusted(keys, at(2 * hour))).toEqual(['old'])
    expect(signingKey(keys, at(2 * hour))).toBeNull()
  })

  test('that never came to sign supersedes nothing', () => {
    const keys = inOrder([key('old', 0), key('withdrawn', 2 * hour, hour)])
    expect(signingKey(keys, at(3 * hour))?.kid).toBe('old')
    expect(trusted(keys, at(2 * hour + 2 * maxTokenSeconds))).toEqual(['old'])
    expect(nextKey(keys, at(hour))).toBeNull()
  })

  test('that is not the one to sign leaves that one alone', () => {
    const keys = inOrder([key('old', 0, 2 * hour), key('new', hour)])
    expect(signingKey(keys, at(2 * hour))?.kid).toBe('new')
    expect(trusted(keys, at(2 * hour))).toEqual(['new'])
  })
})

test('without keys nothing signs', () => {
  expect(signingKey([], at(0))).toBeNull()
})

test('a process whose clock is behind signs with the first key all the same', () => {
  expect(signingKey(inOrder([key('first', 5)]), at(0))?.kid).toBe('first')
})
