import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Keys } from '../../platform/crypto/derive-key.ts'
import { openCursor, sealCursor } from './cursor.ts'

const newKeys = (): Keys => [createSecretKey(randomBytes(32))]
const keys = newKeys()
const userId = randomUUID()
const cursor = {
  after: { createdAt: new Date('2026-01-31T12:00:00.123Z'), itemId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a' },
  filters: { start: new Date('1969-07-20T20:17:40.000Z'), end: null, type: null, cardId: null },
}

test('a statement cursor opens only for the same user and key', () => {
  const text = sealCursor(keys, userId, cursor)
  expect(openCursor(keys, userId, text)).toEqual(cursor)
  expect(openCursor(keys, randomUUID(), text)).toBeNull()
  expect(openCursor(newKeys(), userId, text)).toBeNull()
})

test('a statement cursor of an older key opens, and new cursors use the first key', () => {
  const [old, next] = [newKeys(), newKeys()]
  const rotated: Keys = [...next, ...old]
  expect(openCursor(rotated, userId, sealCursor(old, userId, cursor))).toEqual(cursor)
  expect(openCursor(next, userId, sealCursor(rotated, userId, cursor))).toEqual(cursor)
})

test('a statement cursor with any one character changed is rejected', () => {
  const text = sealCursor(keys, userId, cursor)
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === 'A' ? 'B' : 'A'
    expect(openCursor(keys, userId, text.slice(0, at) + other + text.slice(at + 1))).toBeNull()
  }
})

const invalidCursors = [
  '',
  'x',
  'null',
  '%00',
  '{"createdAt":1}',
  '.',
  '......',
  `${Buffer.from('{}').toString('base64url')}.`,
  `${Buffer.from('{}').toString('base64url')}.${'A'.repeat(43)}`,
  `${Buffer.from('{}').toString('base64url')}.${'é'.repeat(43)}`,
  'A'.repeat(10_000),
]

test.each(invalidCursors.map((text) => [text.slice(0, 20), text]))(
  'a text that begins with %j is rejected as a statement cursor',
  (_beginning, text) => {
    expect(openCursor(keys, userId, text)).toBeNull()
  },
)

test('a statement cursor has one encoding, which needs no escaping in a URL', () => {
  const text = sealCursor(keys, userId, cursor)
  expect(encodeURIComponent(text)).toBe(text)
  for (const other of [`${text}=`, `${text} `, ` ${text}`, `0${text}`, text.toUpperCase()]) {
    expect(openCursor(keys, userId, other)).toBeNull()
  }
})

test('a statement cursor can contain every time of the calendar, with and without filters', () => {
  const times = ['0001-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map(
    (at) => new Date(at),
  )
  for (const start of [null, ...times]) {
    for (const end of [null, ...times]) {
      const one = { ...cursor, filters: { start, end, type: 'card_transaction' as const, cardId: userId } }
      const text = sealCursor(keys, userId, one)
      expect(openCursor(keys, userId, text)).toEqual(one)
      expect(text.length).toBeLessThan(400)
    }
  }
})
