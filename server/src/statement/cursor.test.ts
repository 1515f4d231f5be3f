import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openCursor, sealCursor } from './cursor.ts'

const key = createSecretKey(randomBytes(32))
const userId = randomUUID()
const cursor = {
  after: { createdAt: new Date('2026-01-31T12:00:00.123Z'), itemId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a' },
  filters: { start: new Date('1969-07-20T20:17:40.000Z'), end: null },
}

test('opens to what was sealed, for the same user and key only', () => {
  const text = sealCursor(key, userId, cursor)
  expect(openCursor(key, userId, text)).toEqual(cursor)
  expect(openCursor(key, randomUUID(), text)).toBeNull()
  expect(openCursor(createSecretKey(randomBytes(32)), userId, text)).toBeNull()
})

test('a changed character anywhere is refused', () => {
  const text = sealCursor(key, userId, cursor)
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === 'A' ? 'B' : 'A'
    expect(openCursor(key, userId, text.slice(0, at) + other + text.slice(at + 1))).toBeNull()
  }
})

test.each([
  '',
  'x',
  'null',
  '%00',
  '{"createdAt":1}',
  '='.repeat(76),
  `${'A'.repeat(75)}+`,
  'A'.repeat(76),
  'A'.repeat(10_000),
])('no cursor of ours: %.20s', (text) => {
  expect(openCursor(key, userId, text)).toBeNull()
})

test('has one form: neither padding nor another alphabet is taken', () => {
  const text = sealCursor(key, userId, cursor)
  expect(text).toHaveLength(76)
  expect(openCursor(key, userId, `${text}=`)).toBeNull()
  expect(openCursor(key, userId, ` ${text}`)).toBeNull()
})
