import { hash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'

const keys = createLocalJWKSet(await (await fetch(`${process.env.JWKS_URL}`)).json())
const verified = new Map()

/** Returns the user of an access token. Each token is verified once and then cached. */
export async function userOf(authorization = '') {
  const token = authorization.slice('Bearer '.length)
  const fingerprint = hash('sha256', token, 'base64')
  const known = verified.get(fingerprint)
  if (known && Date.now() < known.exp * 1000) return known.userId
  const { payload } = await jwtVerify(token, keys, { algorithms: ['ES256'] })
  verified.set(fingerprint, payload)
  return payload.userId
}
