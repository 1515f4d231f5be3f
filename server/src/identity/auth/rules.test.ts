import { expect, test } from 'vitest'
import { rejectedTimes, type SignInMessage } from './rules.ts'

const now = new Date('2026-01-31T12:00:00.000Z')
const later = (seconds: number, milliseconds = 0) => new Date(now.getTime() + seconds * 1000 + milliseconds)

function message(times: Partial<SignInMessage>): SignInMessage {
  return {
    domain: 'localhost',
    statement: null,
    uri: 'http://localhost/',
    address: '0xcB444e90D8198415266c6a2724b7900fb12FC56E',
    chainId: 1,
    nonce: 'n0123456789abcdef',
    issuedAt: now,
    expirationTime: null,
    notBefore: null,
    ...times,
  }
}

test.each([
  ['issued now without other times', {}, null],
  ['issued a year ago', { issuedAt: later(-365 * 86_400) }, null],
  ['issued 60 s ahead by a fast clock', { issuedAt: later(60) }, null],
  ['issued 60.001 s ahead', { issuedAt: later(60, 1) }, 'MESSAGE_NOT_YET_VALID'],
  ['that begins 60 s ahead', { notBefore: later(60) }, null],
  ['that begins 60.001 s ahead', { notBefore: later(60, 1) }, 'MESSAGE_NOT_YET_VALID'],
  ['that began a moment ago', { notBefore: later(-1) }, null],
  ['that expires in a millisecond', { issuedAt: later(-1), expirationTime: later(0, 1) }, null],
  ['that expires now', { issuedAt: later(-1), expirationTime: now }, 'MESSAGE_EXPIRED'],
  ['that expired a second ago', { issuedAt: later(-9), expirationTime: later(-1) }, 'MESSAGE_EXPIRED'],
  ['that expires when it is issued', { issuedAt: later(30), expirationTime: later(30) }, 'MESSAGE_EXPIRED'],
  ['that expires before it is issued', { issuedAt: later(40), expirationTime: later(30) }, 'MESSAGE_EXPIRED'],
  ['that begins when it expires', { notBefore: later(50), expirationTime: later(50) }, 'MESSAGE_EXPIRED'],
  ['that begins after it expires', { notBefore: later(55), expirationTime: later(50) }, 'MESSAGE_EXPIRED'],
  ['that is expired and not yet valid', { issuedAt: later(90), expirationTime: later(-1) }, 'MESSAGE_EXPIRED'],
] as const)('checking the times of a message %s gives %s', (_name, times, refusal) => {
  expect(rejectedTimes(message(times), now)).toBe(refusal)
})
