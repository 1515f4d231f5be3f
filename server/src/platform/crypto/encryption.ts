import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Secrets } from '../../lib/secrets.ts'
import { deriveKey, secretId } from './derive-key.ts'

const cipher = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

/**
 * The purpose and row of a stored ciphertext. The encryption binds it to both, so it cannot be moved to another row.
 */
export type Use = { readonly purpose: string; readonly row: string }

/**
 * Encrypts a text for storage under the first secret, so that nobody can sign with a copy of the database
 * alone. Returns `<secret id>.<base64url of IV, tag and ciphertext>`.
 */
export function encrypt([secret]: Secrets, { purpose, row }: Use, text: string): string {
  const iv = randomBytes(ivLength)
  const encryption = createCipheriv(cipher, deriveKey(secret, purpose), iv).setAAD(Buffer.from(row))
  const encrypted = Buffer.concat([encryption.update(text), encryption.final()])
  return `${secretId(secret)}.${Buffer.concat([iv, encryption.getAuthTag(), encrypted]).toString('base64url')}`
}

/** Decrypts a text under the secret that it names. */
export function decrypt(secrets: Secrets, { purpose, row }: Use, stored: string): string {
  const [id = '', encoded = ''] = stored.split('.')
  const secret = secrets.find((secret) => secretId(secret) === id)
  if (secret === undefined) throw new UnknownSecret()
  const bytes = Buffer.from(encoded, 'base64url')
  const [iv, tag, text] = [
    bytes.subarray(0, ivLength),
    bytes.subarray(ivLength, ivLength + tagLength),
    bytes.subarray(ivLength + tagLength),
  ]
  const decryption = createDecipheriv(cipher, deriveKey(secret, purpose), iv, { authTagLength: tagLength })
  decryption.setAAD(Buffer.from(row)).setAuthTag(tag)
  return Buffer.concat([decryption.update(text), decryption.final()]).toString()
}

/** Returns the prefix of all texts that are encrypted under the first secret. */
export function currentPrefix([secret]: Secrets): string {
  return `${secretId(secret)}.`
}

/** Returns whether a stored text is encrypted under the first secret. */
export function isCurrent(secrets: Secrets, stored: string): boolean {
  return stored.startsWith(currentPrefix(secrets))
}

class UnknownSecret extends Error {
  constructor() {
    super('stored data was encrypted with a different SECRET; add that value to SECRET after the current one')
  }
}
