import { describe, expect, test } from 'vitest'
import { isEmptyRange, mergeFilters, pageRange, parseBound } from './rules.ts'

const noon = new Date('2026-01-31T12:00:00.000Z')
const later = new Date('2026-01-31T12:00:00.001Z')

describe('a bound', () => {
  test('as a bare date is the first or the last instant of that day', () => {
    expect(parseBound('2026-01-31', 'start')).toEqual(new Date('2026-01-31T00:00:00.000Z'))
    expect(parseBound('2026-01-31', 'end')).toEqual(new Date('2026-01-31T23:59:59.999Z'))
  })

  test('as a date-time is that instant, truncated to milliseconds like the stored times', () => {
    expect(parseBound('2026-01-31T14:00:00.0009+02:00', 'start')).toEqual(noon)
  })

  test('that no calendar or no database knows is none', () => {
    expect(parseBound('2026-01-31T23:59:60Z', 'end')).toBeNull()
    expect(parseBound('0000-01-01', 'start')).toBeNull()
    expect(parseBound('9999-12-31T23:59:59-12:00', 'end')).toBeNull()
  })
})

test('a range is empty only when its start is after its end', () => {
  expect(isEmptyRange({ start: noon, end: noon })).toBe(false)
  expect(isEmptyRange({ start: later, end: noon })).toBe(true)
  expect(isEmptyRange({ start: later, end: null })).toBe(false)
})

describe('filters beside a cursor', () => {
  const ofCursor = { start: noon, end: null }

  test('may be left out or repeated', () => {
    expect(mergeFilters({ start: null, end: null }, ofCursor)).toBe(ofCursor)
    expect(mergeFilters({ start: new Date(noon), end: null }, ofCursor)).toBe(ofCursor)
  })

  test('may not be others', () => {
    expect(mergeFilters({ start: later, end: null }, ofCursor)).toBeNull()
    expect(mergeFilters({ start: noon, end: later }, ofCursor)).toBeNull()
  })
})

test('the first page begins above every row of the last millisecond, a later one at its cursor', () => {
  const first = pageRange({ start: null, end: noon }, null)
  expect(first.before).toEqual({ createdAt: later, itemId: '00000000-0000-0000-0000-000000000000' })
  const after = { createdAt: noon, itemId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a' }
  expect(pageRange({ start: noon, end: later }, after)).toEqual({ before: after, from: noon })
})

test('without filters a page begins above all times, and ends below all', () => {
  const all = pageRange({ start: null, end: null }, null)
  expect(all).toMatchObject({ before: { createdAt: 'infinity' }, from: '-infinity' })
})
