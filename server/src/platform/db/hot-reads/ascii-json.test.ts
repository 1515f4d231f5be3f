import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asciiJson } from './ascii-json.ts'

test('ASCII JSON parses to the same value as JSON', () => {
  expect(asciiJson({ name: 'Café €5 🍰' })).toBe('{"name":"Caf\\u00e9 \\u20ac5 \\ud83c\\udf70"}')
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = asciiJson(value)
      expect(/^[\x20-\x7e]*$/.test(text)).toBe(true)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
