import { createHash } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { signedHeaders, signingKeys } from './signature.ts'

const master = 'a master secret that is long enough, for tests'
const [endpoint, other] = ['01a1fc4e-f39c-748a-b04f-9ca8209a4d4a', '01a1fc4e-f39c-748a-b04f-9ca8209a4d4b']

test('webhook keys differ by endpoint, version and master secret, and are the same in every process', () => {
  const all = [
    signingKeys(master, endpoint, 1),
    signingKeys(master, endpoint, 2),
    signingKeys(master, other, 1),
    signingKeys(`${master}!`, endpoint, 1),
  ]
  expect(new Set(all.flatMap(({ publicKey, secret }) => [publicKey.slice(5), secret.slice(6)])).size).toBe(8)
  // Pins the derivation: a change to it would invalidate every key that receivers have stored.
  const noted = createHash('sha256').update(`${all[0]?.publicKey} ${all[0]?.secret}`).digest('hex')
  expect(noted).toBe('38aa05c079592d7fe544f225d48542713c527e84024efe33b579bb3b53d3a150')
})

test('a webhook secret is a prefix and 24 to 64 bytes of base64, as Standard Webhooks specifies', () => {
  const { secret, publicKey } = signingKeys(master, endpoint, 1)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
})

test('the HMAC signature equals that of the Standard Webhooks library', () => {
  const keys = signingKeys(master, endpoint, 1)
  const message = { id: 'evt_1', timestamp: 1_769_851_800, body: '{"a":"ä"}' }
  const wanted = new Webhook(keys.secret).sign(message.id, new Date(message.timestamp * 1000), message.body)
  expect(signedHeaders([keys], message)['webhook-signature']?.split(' ')).toContain(wanted)
})
