import { expect, test } from 'vitest'
import { isTimely, readSignatureHeader } from './body-signature.ts'

const hex = 'ab'.repeat(32)
const headers = { 'x-issuer-key-id': 'k', 'x-issuer-timestamp': '1769851800', 'x-issuer-signature': `v1=${hex}` }
const signature = (text: string) =>
  readSignatureHeader('issuer', { ...headers, 'x-issuer-signature': text })?.candidates

test('a signature header requires key id, timestamp and signature in valid form', () => {
  expect(readSignatureHeader('issuer', headers)).toEqual({ keyId: 'k', timestamp: '1769851800', candidates: [hex] })
  for (const name of Object.keys(headers))
    expect(readSignatureHeader('issuer', { ...headers, [name]: undefined })).toBeNull()
  for (const timestamp of ['', '-1', '1.5', '1e9', ' 1', '2026-01-31', '9'.repeat(13)]) {
    expect(readSignatureHeader('issuer', { ...headers, 'x-issuer-timestamp': timestamp })).toBeNull()
  }
})

test('a signature header yields only v1 signatures in hex, and at most eight of them', () => {
  expect(signature(`v1=${hex},v1=${'cd'.repeat(32)}`)).toEqual([hex, 'cd'.repeat(32)])
  expect(signature(`v2=${hex}, v1=${hex} `)).toEqual([hex])
  expect(signature(Array(1000).fill(`v1=${hex}`).join())).toHaveLength(8)
  for (const text of ['', hex, `v1=${hex}0`, 'v1=', `v2=${hex}`, `v1=${'zz'.repeat(32)}`]) {
    expect(signature(text)).toBeUndefined()
  }
})

test('a signature is timely within 300 seconds in either direction', () => {
  const header = { keyId: 'k', timestamp: '1769851800', candidates: [] }
  const at = (seconds: number) => new Date((1769851800 + seconds) * 1000)
  expect([-301, -300, 0, 300, 301].map((seconds) => isTimely(header, at(seconds)))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ])
})
