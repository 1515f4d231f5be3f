import { describe, expect, test } from 'vitest'
import { idRange, isEmptyRange, mergeFilters, pageRange, parseBound, selectionOf } from './rules.ts'

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
  const nothing = { start: null, end: null, type: null, cardId: null }
  const ofCursor = { ...nothing, start: noon, type: 'card_transaction' as const }

  test('statement filters can be omitted or repeated beside a cursor', () => {
    expect(mergeFilters(nothing, ofCursor)).toBe(ofCursor)
    expect(mergeFilters({ ...ofCursor, start: new Date(noon) }, ofCursor)).toBe(ofCursor)
  })

  test('statement filters beside a cursor must not differ from it', () => {
    expect(mergeFilters({ ...nothing, start: later }, ofCursor)).toBeNull()
    expect(mergeFilters({ ...nothing, start: noon, end: later }, ofCursor)).toBeNull()
    expect(mergeFilters({ ...nothing, type: 'deposit' }, ofCursor)).toBeNull()
    expect(mergeFilters({ ...nothing, cardId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a' }, ofCursor)).toBeNull()
  })
})

test('the first statement page includes the last millisecond of its range, and a later page begins at its cursor', () => {
  const first = pageRange({ start: null, end: noon }, null)
  expect(first.before).toEqual({ createdAt: later, itemId: '00000000-0000-0000-0000-000000000000' })
  const after = { createdAt: noon, itemId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a' }
  expect(pageRange({ start: noon, end: later }, after)).toEqual({ before: after, from: noon })
})

test('a statement page without filters covers all times', () => {
  const all = pageRange({ start: null, end: null }, null)
  expect(all).toMatchObject({ before: { createdAt: 'infinity' }, from: '-infinity' })
})

test('a statement of one card has card transactions only', () => {
  const cardId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
  expect(selectionOf({ type: null, cardId: null })).toEqual({ of: 'all' })
  expect(selectionOf({ type: 'deposit', cardId: null })).toEqual({ of: 'deposit' })
  expect(selectionOf({ type: 'card_transaction', cardId })).toEqual({ of: 'card', cardId })
  expect(selectionOf({ type: null, cardId })).toEqual({ of: 'card', cardId })
  expect(selectionOf({ type: 'withdrawal', cardId })).toEqual({ of: 'nothing' })
})

test('a range of times converts to the range of the ids that begin with those times', () => {
  const id = (at: Date) =>
    `${at
      .getTime()
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7abc-8abc-0123456789ab`
  const { below, from } = idRange(pageRange({ start: noon, end: noon }, null))
  expect([id(noon) >= from, id(noon) < below, id(later) < below]).toEqual([true, true, false])
  const after = { createdAt: noon, itemId: id(noon) }
  expect(idRange(pageRange({ start: null, end: later }, after))).toEqual({
    below: after.itemId,
    from: '00000000-0000-0000-0000-000000000000',
  })
  const beforeIds = new Date('0001-01-01T00:00:00.000Z')
  expect(id(noon) < idRange(pageRange({ start: null, end: beforeIds }, null)).below).toBe(false)
  expect(id(noon) < idRange(pageRange({ start: beforeIds, end: null }, null)).below).toBe(true)
})
