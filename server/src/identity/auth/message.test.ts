import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accepted, address, message, refused } from '../../../test/support/vectors/eip-4361.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { parseSignInMessage } from './message.ts'

describe('parseSignInMessage', () => {
  test.each(Object.entries(accepted))('a valid sign-in message is accepted: %s', (_name, text) => {
    expect(parseSignInMessage(text).address).toBe(address)
  })

  test('parsing a sign-in message returns the fields that the checks need', () => {
    expect(parseSignInMessage(message())).toEqual({
      domain: 'app.example.com',
      address,
      statement: 'I accept the terms: https://app.example.com/terms',
      uri: 'https://app.example.com/sign-in',
      chainId: 100,
      nonce: 'n0123456789abcdef',
      issuedAt: new Date('2026-01-31T09:30:00.000Z'),
      expirationTime: new Date('2026-02-01T09:30:00.000Z'),
      notBefore: new Date('2026-01-31T09:00:00.000Z'),
    })
  })

  test('absent optional times of a sign-in message are null', () => {
    const read = parseSignInMessage(message({ expirationTime: null, notBefore: null }))
    expect(read.expirationTime).toBeNull()
    expect(read.notBefore).toBeNull()
  })

  test.each([
    ['app.example.com:8443', 'app.example.com:8443'],
    ['https://app.example.com', 'app.example.com'],
    ['someone@app.example.com', 'someone@app.example.com'],
    ['APP.example.com', 'APP.example.com'],
  ])('the domain of a sign-in message is returned as signed, without the scheme: %s', (written, domain) => {
    const header = `${written} wants you to sign in with your Ethereum account:`
    expect(parseSignInMessage(message({ header })).domain).toBe(domain)
  })

  test.each([
    ['2026-01-31T09:30:00+02:00', '2026-01-31T07:30:00.000Z'],
    ['2026-01-31T09:30:00-05:30', '2026-01-31T15:00:00.000Z'],
    ['2026-01-31T09:30:00.9999Z', '2026-01-31T09:30:00.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('the time %s of a sign-in message is read as the instant %s', (written, instant) => {
    expect(parseSignInMessage(message({ issuedAt: `Issued At: ${written}` })).issuedAt).toEqual(new Date(instant))
  })
})

describe('parseSignInMessage with an invalid message', () => {
  test.each(Object.entries(refused))('an invalid sign-in message is rejected: %s', (_name, text) => {
    expect(() => parseSignInMessage(text)).toThrow(InvalidInput)
  })

  test('the error for an invalid sign-in message names the line and its expected content', () => {
    expect(() => parseSignInMessage(message({ version: 'Version: 2' }))).toThrow(
      'body/message line 7 must be "Version: 1"',
    )
  })

  test('a character inserted between domain and URI of a sign-in message without a statement is rejected', () => {
    // Up to "Version: 1", only the domain, the statement and the URI accept another character.
    const text = message({ header: 'localhost wants you to sign in with your Ethereum account:', statement: null })
    const end = text.indexOf('URI: ') + 'URI: '.length
    fc.assert(
      fc.property(
        fc.integer({ min: 'localhost'.length + 1, max: end - 1 }),
        fc.constantFrom('\r', '\n', ' ', 'a', '\u0000', 'é'),
        (at, put) => {
          expect(() => parseSignInMessage(text.slice(0, at) + put + text.slice(at))).toThrow(InvalidInput)
        },
      ),
    )
  })

  // With a pattern that backtracks, this test would not end.
  test('a sign-in message designed to cause backtracking is rejected in linear time', () => {
    const hostile = message({ uri: `URI: a://${'%41'.repeat(1200)}${'@'.repeat(2)}` })
    expect(() => parseSignInMessage(hostile)).toThrow(InvalidInput)
  })
})
