import { describe, expect, test } from 'vitest'
import { isEmptyRange, mergeFilters, pageRange, parseBound } from './rules.ts'

const noon = new Date('2026-01-31T12:00:00.000Z')
const later = new Date('2026-01-31T12:00:00.001Z')

describe('parseBound', () => {
  test('a bare date as a statement bound is the first or the last instant of that day', () => {
    expect(parseBound('2026-01-31', 'start')).toEqual(new Date('2026-01-31T00:00:00.000Z'))
    expect(parseBound('2026-01-31', 'end')).toEqual(new Date('2026-01-31T23:59:59.999Z'))
  })

  test('a date-time as a statement bound is truncated to milliseconds, like the stored times', () => {
    expect(parseBound('2026-01-31T14:00:00.0009+02:00', 'start')).toEqual(noon)
  })

  test('a statement bound outside the calendar or the range of the database is null', () => {
    expect(parseBound('2026-01-31T23:59:60Z', 'end')).toBeNull()
    expect(parseBound('0000-01-01', 'start')).toBeNull()
    expect(parseBound('9999-12-31T23:59:59-12:00', 'end')).toBeNull()
  })
})

test('a statement range is empty only when its start is after its end', () => {
  expect(isEmptyRange({ start: noon, end: noon })).toBe(false)
  expect(isEmptyRange({ start: later, end: noon })).toBe(true)
  expect(isEmptyRange({ start: later, end: null })).toBe(false)
})

describe('mergeFilters', () => {
  const ofCursor = { start: noon, end: null }

  test('statement filters can be omitted or repeated beside a cursor', () => {
    expect(mergeFilters({ start: null, end: null }, ofCursor)).toBe(ofCursor)
    expect(mergeFilters({ start: new Date(noon), end: null }, ofCursor)).toBe(ofCursor)
  })

  test('statement filters beside a cursor must not differ from it', () => {
    expect(mergeFilters({ start: later, end: null }, ofCursor)).toBeNull()
    expect(mergeFilters({ start: noon, end: later }, ofCursor)).toBeNull()
  })
})

test('the first statement page begins above every item of its last millisecond, and a later page at its cursor', () => {
  const first = pageRange({ start: null, end: noon }, null)
  expect(first.before).toEqual({ createdAt: later, itemId: '00000000-0000-0000-0000-000000000000' })
  const after = { createdAt: noon, itemId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a' }
  expect(pageRange({ start: noon, end: later }, after)).toEqual({ before: after, from: noon })
})

test('a statement page without filters covers all times', () => {
  const all = pageRange({ start: null, end: null }, null)
  expect(all).toMatchObject({ before: { createdAt: 'infinity' }, from: '-infinity' })
})
