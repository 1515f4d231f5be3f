import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { concatenated } from './es256.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

test('a signature of any length in DER is the same signature in 64 bytes', () => {
  const lengths = new Set<number>()
  // About one in 500 is shorter than 70 bytes: until there was one.
  for (let i = 0; i < 2000 || Math.min(...lengths) >= 70; i++) {
    const text = Buffer.from(`text ${i}`)
    const der = sign('sha256', text, privateKey)
    lengths.add(der.length)
    const both = concatenated(der)
    expect(both).toHaveLength(64)
    expect(verify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, both)).toBe(true)
  }
  expect(Math.max(...lengths)).toBe(72)
})

test('short numbers are filled up in front', () => {
  const der = Buffer.from('300602010102017f', 'hex')
  expect(concatenated(der).toString('hex')).toBe(`${'00'.repeat(31)}01${'00'.repeat(31)}7f`)
})
