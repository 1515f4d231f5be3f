import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import { deriveKey } from '../../platform/crypto/derive-key.ts'

const cipher = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

/** Encrypts a private key for storage, so that a copy of the database cannot sign. The ciphertext is bound to the kid. */
export function encryptJwk(secret: string, kid: string, jwk: JWK): string {
  const iv = randomBytes(ivLength)
  const encryption = createCipheriv(cipher, deriveKey(secret, 'signing key encryption'), iv).setAAD(Buffer.from(kid))
  const text = Buffer.concat([encryption.update(JSON.stringify(jwk)), encryption.final()])
  return Buffer.concat([iv, encryption.getAuthTag(), text]).toString('base64url')
}

export function decryptJwk(secret: string, kid: string, encrypted: string): JWK {
  const bytes = Buffer.from(encrypted, 'base64url')
  const [iv, tag, text] = [
    bytes.subarray(0, ivLength),
    bytes.subarray(ivLength, ivLength + tagLength),
    bytes.subarray(ivLength + tagLength),
  ]
  const decryption = createDecipheriv(cipher, deriveKey(secret, 'signing key encryption'), iv, {
    authTagLength: tagLength,
  })
  decryption.setAAD(Buffer.from(kid)).setAuthTag(tag)
  try {
    return JSON.parse(Buffer.concat([decryption.update(text), decryption.final()]).toString())
  } catch (cause) {
    throw new Error(
      'the stored signing key was encrypted with a different SECRET; start with the SECRET that this database was created with',
      { cause },
    )
  }
}
