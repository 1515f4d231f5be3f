import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { siwe } from 'better-auth/plugins'
import pg from 'pg'
import { hashMessage, verifyMessage } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'

/**
 * Signs in with better-auth's SIWE plugin. VERIFIER=viem verifies as its documentation shows. VERIFIER=native recovers
 * the key with the same native library as Purser, to separate the cost of the library from the rest.
 */
const verifiers = {
  viem: ({ message, signature, address }) => verifyMessage({ message, signature, address }),
  native: ({ message, signature, address }) => {
    const bytes = Buffer.from(signature.slice(2), 'hex')
    const hash = Buffer.from(hashMessage(message).slice(2), 'hex')
    const key = secp256k1.ecdsaRecover(bytes.subarray(0, 64), (bytes[64] ?? 0) % 27, hash, false)
    return publicKeyToAddress(`0x${Buffer.from(key).toString('hex')}`) === address
  },
}
// The service's own copy, so that both use the same build.
const secp256k1 = createRequire(new URL('../../package.json', import.meta.url))('secp256k1')

const auth = betterAuth({
  baseURL: `http://localhost:${process.env.PORT}`,
  secret: randomBytes(32).toString('hex'),
  database: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 }),
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  plugins: [
    siwe({
      domain: 'localhost',
      emailDomainName: 'example.com',
      getNonce: async () => randomBytes(16).toString('hex'),
      verifyMessage: async (signed) => verifiers[process.env.VERIFIER](signed),
    }),
  ],
})

const { runMigrations } = await getMigrations(auth.options)
await runMigrations()
const answer = toNodeHandler(auth)
createServer((request, response) => {
  if (request.url === '/') response.end('ready')
  else answer(request, response)
}).listen(Number(process.env.PORT), '127.0.0.1')
