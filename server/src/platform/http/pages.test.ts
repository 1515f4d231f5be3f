import { expect, test } from 'vitest'
import { languageOf } from './pages.ts'

const request = (acceptLanguage: string, url = '/') => ({ url, headers: { 'accept-language': acceptLanguage } })

test.each([
  ['de', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['de;q=0.7, en', 'en'],
  ['de ; q=0.1,fr', 'de'],
  ['fr, de;q=0', 'en'],
  ['de;level=1;q=0.2, en;q=0.1', 'de'],
  ['de;q=often, en;q=0.1', 'en'],
  ['', 'en'],
])('the page for a browser that accepts "%s" is in the language %s', (accepted, language) => {
  expect(languageOf(request(accepted))).toBe(language)
})

test('the language that the URL names takes precedence over that of the browser', () => {
  expect(languageOf(request('en', '/?lang=de'))).toBe('de')
})

test('a long run of spaces in a header does not take quadratic time', () => {
  expect(languageOf(request(`de${' '.repeat(2_000_000)}x`))).toBe('de')
})
