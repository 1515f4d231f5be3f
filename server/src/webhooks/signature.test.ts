import { createHash } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { signedHeaders, signingKeys } from './signature.ts'

const seed = Buffer.alloc(32, 7)

test('webhook keys differ by seed, and are the same in every process', () => {
  const all = [signingKeys(seed), signingKeys(Buffer.alloc(32, 8))]
  expect(new Set(all.flatMap(({ publicKey, secret }) => [publicKey.slice(5), secret.slice(6)])).size).toBe(4)
  // Pins the derivation: a change to it would invalidate every key that receivers have stored.
  const noted = createHash('sha256').update(`${all[0]?.publicKey} ${all[0]?.secret}`).digest('hex')
  expect(noted).toBe('be01afcebfc0e8dd43dff58468dfb29b74ebd4740d34272ffee852e3d817d540')
})

test('a webhook secret is a prefix and 24 to 64 bytes in base64, as Standard Webhooks specifies', () => {
  const { secret, publicKey } = signingKeys(seed)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
})

test('the HMAC signature equals that of the Standard Webhooks library', () => {
  const keys = signingKeys(seed)
  const message = { id: 'evt_1', timestamp: 1_769_851_800, body: '{"a":"ä"}' }
  const wanted = new Webhook(keys.secret).sign(message.id, new Date(message.timestamp * 1000), message.body)
  expect(signedHeaders([keys], message)['webhook-signature']?.split(' ')).toContain(wanted)
})
