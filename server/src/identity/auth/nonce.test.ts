import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Keys } from '../../platform/crypto/derive-key.ts'
import { makeNonce, readNonce } from './nonce.ts'

const newKeys = (): Keys => [createSecretKey(randomBytes(32))]
const keys = newKeys()
const expiresAt = new Date('2026-01-31T12:10:00.000Z')

describe('a sign-in nonce', () => {
  test('a nonce contains its expiry', () => {
    expect(readNonce(keys, makeNonce(keys, expiresAt))).toEqual(expiresAt)
  })

  test('a nonce is alphanumeric, begins with a letter and does not parse as a number', () => {
    for (let i = 0; i < 200; i++) {
      const nonce = makeNonce(keys, expiresAt)
      expect(nonce).toMatch(/^[A-Za-z][A-Za-z0-9]{16,}$/)
      expect(Number(nonce)).toBeNaN()
    }
  })

  test('two nonces are never equal', () => {
    const made = new Set(Array.from({ length: 2000 }, () => makeNonce(keys, expiresAt)))
    expect(made.size).toBe(2000)
  })

  test('a nonce is rejected under another key', () => {
    expect(readNonce(newKeys(), makeNonce(keys, expiresAt))).toBeNull()
  })

  test('a nonce of an older key is accepted, and new nonces use the first key', () => {
    const [old, next] = [newKeys(), newKeys()]
    const rotated: Keys = [...next, ...old]
    expect(readNonce(rotated, makeNonce(old, expiresAt))).toEqual(expiresAt)
    expect(readNonce(next, makeNonce(rotated, expiresAt))).toEqual(expiresAt)
  })

  test('a nonce with any one character changed is rejected, so clients can choose neither expiry nor random part', () => {
    const nonce = makeNonce(keys, expiresAt)
    for (let at = 0; at < nonce.length; at++) {
      const other = nonce[at] === '0' ? '1' : '0'
      expect(readNonce(keys, nonce.slice(0, at) + other + nonce.slice(at + 1))).toBeNull()
    }
  })

  test('a nonce has only one spelling', () => {
    const nonce = makeNonce(keys, expiresAt)
    const others = [nonce.toUpperCase(), `n${nonce.slice(1).toUpperCase()}`, `${nonce}0`, `${nonce}00`, `0${nonce}`]
    for (const other of [...others, nonce.slice(0, -1), nonce.slice(0, -2), ` ${nonce}`, `${nonce}\n`, '', 'n']) {
      if (other !== nonce) expect(readNonce(keys, other)).toBeNull()
    }
  })
})
