import { describe, expect, test } from 'vitest'
import { makeNonce, readNonce } from './nonce.ts'

const secret = 'a secret of the tests, long enough'
const expiresAt = new Date('2026-01-31T12:10:00.000Z')

describe('a nonce', () => {
  test('carries its expiry', () => {
    expect(readNonce(secret, makeNonce(secret, expiresAt))).toEqual(expiresAt)
  })

  test('is alphanumeric, begins with a letter and is never taken for a number', () => {
    for (let i = 0; i < 200; i++) {
      const nonce = makeNonce(secret, expiresAt)
      expect(nonce).toMatch(/^[A-Za-z][A-Za-z0-9]{16,}$/)
      expect(Number(nonce)).toBeNaN()
    }
  })

  test('is never made twice', () => {
    const made = new Set(Array.from({ length: 2000 }, () => makeNonce(secret, expiresAt)))
    expect(made.size).toBe(2000)
  })

  test('is not accepted under another secret', () => {
    expect(readNonce('another secret of the tests, as long', makeNonce(secret, expiresAt))).toBeNull()
  })

  test('is not accepted with any one character changed: neither expiry nor random part can be chosen', () => {
    const nonce = makeNonce(secret, expiresAt)
    for (let at = 0; at < nonce.length; at++) {
      const other = nonce[at] === '0' ? '1' : '0'
      expect(readNonce(secret, nonce.slice(0, at) + other + nonce.slice(at + 1))).toBeNull()
    }
  })

  test('has one spelling only', () => {
    const nonce = makeNonce(secret, expiresAt)
    const others = [nonce.toUpperCase(), `n${nonce.slice(1).toUpperCase()}`, `${nonce}0`, `${nonce}00`, `0${nonce}`]
    for (const other of [...others, nonce.slice(0, -1), nonce.slice(0, -2), ` ${nonce}`, `${nonce}\n`, '', 'n']) {
      if (other !== nonce) expect(readNonce(secret, other)).toBeNull()
    }
  })
})
