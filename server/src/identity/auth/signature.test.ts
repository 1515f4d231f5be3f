import { bytesToHex, type Hex, hexToBytes, hashMessage as viemHashMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { hashMessage, isAccountLength, recoverSigner, signatureEngine } from './signature.ts'

const wallet = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const hash = hashMessage('hello')
const signature = await wallet.signMessage({ message: 'hello' })

function changed(change: (bytes: Uint8Array) => void): Hex {
  const bytes = hexToBytes(signature)
  change(bytes)
  return bytesToHex(bytes)
}

const withV = (v: number) => changed((bytes) => bytes.set([v], 64))
const ownV = hexToBytes(signature)[64] ?? 0

test.each([
  ['an empty text', ''],
  ['an ASCII text', 'hello'],
  ['a Unicode text', 'Café 東京 🍣'],
  ['a long text', 'x'.repeat(1000)],
])('%s is hashed as wallets hash it', (_name, text) => {
  expect(hashMessage(text)).toBe(viemHashMessage(text))
})

describe('recoverSigner', () => {
  test('signatures are checked by the native libsecp256k1, not by a silent fallback', () => {
    expect(signatureEngine).toBe('native libsecp256k1')
  })

  test('the recovered signer is the wallet that signed, in lower case', async () => {
    expect(await recoverSigner(hash, signature)).toBe(wallet.address.toLowerCase())
  })

  test('the recovered signer is the same for v counted from 0 and from 27', async () => {
    expect(await recoverSigner(hash, withV(ownV - 27))).toBe(wallet.address.toLowerCase())
  })

  test('a signature with the other v gives a different signer', async () => {
    const other = await recoverSigner(hash, withV(ownV === 27 ? 28 : 27))
    expect(other).not.toBeNull()
    expect(other).not.toBe(wallet.address.toLowerCase())
  })

  test('a signature over another text gives a different signer', async () => {
    expect(await recoverSigner(hashMessage('hello!'), signature)).not.toBe(wallet.address.toLowerCase())
  })

  test.each([2, 3, 26, 29, 35, 255])('a signature with v = %i gives no signer', async (v) => {
    expect(await recoverSigner(hash, withV(v))).toBeNull()
  })

  test('the mirrored signature with a high s gives no signer, so a signature has one spelling', async () => {
    const s = BigInt(bytesToHex(hexToBytes(signature).subarray(32, 64)))
    const mirrored = changed((bytes) => {
      bytes.set(hexToBytes(`0x${(order - s).toString(16).padStart(64, '0')}`), 32)
      bytes.set([ownV === 27 ? 28 : 27], 64)
    })
    expect(await recoverSigner(hash, mirrored)).toBeNull()
  })

  test.each([
    ['r = 0', (bytes: Uint8Array) => bytes.fill(0, 0, 32)],
    ['s = 0', (bytes: Uint8Array) => bytes.fill(0, 32, 64)],
    ['r beyond the order', (bytes: Uint8Array) => bytes.fill(255, 0, 32)],
    ['s beyond the order', (bytes: Uint8Array) => bytes.fill(255, 32, 64)],
  ])('a signature with %s gives no signer', async (_name, change) => {
    expect(await recoverSigner(hash, changed(change))).toBeNull()
  })

  test.each([
    ['no bytes', '0x'],
    ['64 bytes (EIP-2098)', signature.slice(0, -2)],
    ['66 bytes', `${signature}00`],
  ])('a signature of %s gives no signer', async (_name, other) => {
    expect(isAccountLength(other)).toBe(false)
    expect(await recoverSigner(hash, other)).toBeNull()
  })
})
