import { describe, expect, test } from 'vitest'
import { inOrder, type KeyLife, maxTokenSeconds, nextKey, signingKey, trustEnds } from './rules.ts'

const hour = 3600
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31) + seconds * 1000)

function key(kid: string, activeFrom: number, retiredAt: number | null = null): KeyLife {
  return { kid, activeFrom: at(activeFrom), retiredAt: retiredAt === null ? null : at(retiredAt) }
}

/** Returns the ids of the keys that verify tokens at a time. */
function trusted(keys: readonly KeyLife[], now: Date): string[] {
  return [...trustEnds(keys)].filter(([, end]) => now.getTime() < end).map(([kid]) => kid)
}

describe('rotated signing keys', () => {
  const keys = inOrder([key('new', hour), key('old', 0)])

  test('the old signing key signs until the new key becomes active', () => {
    expect(signingKey(keys, at(hour - 1))?.kid).toBe('old')
    expect(signingKey(keys, at(hour))?.kid).toBe('new')
  })

  test('both the old and the new signing key are published before the new key signs', () => {
    expect(trusted(keys, at(0))).toEqual(['old', 'new'])
    expect(nextKey(keys, at(0))?.kid).toBe('new')
    expect(nextKey(keys, at(hour))).toBeNull()
  })

  test('the old signing key verifies exactly as long as one of its tokens can be valid', () => {
    expect(trusted(keys, at(hour + maxTokenSeconds - 1))).toEqual(['old', 'new'])
    expect(trusted(keys, at(hour + maxTokenSeconds))).toEqual(['new'])
  })
})

describe('retired signing keys', () => {
  test('a retired signing key neither signs nor verifies, and an older key does not replace it', () => {
    const keys = inOrder([key('old', 0), key('new', hour, 2 * hour)])
    expect(trusted(keys, at(2 * hour))).toEqual(['old'])
    expect(signingKey(keys, at(2 * hour))).toBeNull()
  })

  test('a signing key retired before it signed supersedes no key', () => {
    const keys = inOrder([key('old', 0), key('withdrawn', 2 * hour, hour)])
    expect(signingKey(keys, at(3 * hour))?.kid).toBe('old')
    expect(trusted(keys, at(2 * hour + 2 * maxTokenSeconds))).toEqual(['old'])
    expect(nextKey(keys, at(hour))).toBeNull()
  })

  test('retiring another key does not change the signing key', () => {
    const keys = inOrder([key('old', 0, 2 * hour), key('new', hour)])
    expect(signingKey(keys, at(2 * hour))?.kid).toBe('new')
    expect(trusted(keys, at(2 * hour))).toEqual(['new'])
  })
})

test('no key signs when there are no keys', () => {
  expect(signingKey([], at(0))).toBeNull()
})

test('a process whose clock is behind the first signing key signs with that key', () => {
  expect(signingKey(inOrder([key('first', 5)]), at(0))?.kid).toBe('first')
})
